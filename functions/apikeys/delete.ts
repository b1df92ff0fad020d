import { ApiKeyPath } from '#lib/apikeys/apikey.ts'
import { deleteApiKey } from '#lib/apikeys/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'

export const handler = endpoint(
  { summary: 'End an API key', access: 'bearer', params: ApiKeyPath, unmetered: true, status: 204 },
  ({ actor, params }) => deleteApiKey(actor, params.key_id),
)
