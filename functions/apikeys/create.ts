import { CreatedApiKey, NewApiKey } from '#lib/apikeys/apikey.ts'
import { createApiKey } from '#lib/apikeys/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'

export const handler = endpoint(
  { summary: 'Create an API key', access: 'login', body: NewApiKey, status: 201, reply: named('key', CreatedApiKey) },
  ({ actor, body }) => createApiKey(actor, body),
)
