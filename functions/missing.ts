import { failure } from '#lib/errors.ts'
import { endpoint } from '#lib/http/endpoint.ts'

export const handler = endpoint(
  { summary: 'Answer for every path and method that is no route', access: 'public', status: 204 },
  async () => {
    throw failure('NotFound')
  },
)
