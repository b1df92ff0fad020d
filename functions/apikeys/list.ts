import { ApiKey } from '#lib/apikeys/apikey.ts'
import { listApiKeys } from '#lib/apikeys/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { pageQuery } from '#lib/http/page.ts'
import { listOf } from '#lib/http/reply.ts'

export const handler = endpoint(
  { summary: "List the caller's API keys", access: 'bearer', query: pageQuery(), status: 200, reply: listOf('keys', ApiKey) },
  ({ actor, query }) => listApiKeys(actor, query),
)
