import { Profile } from '#lib/auth/credentials.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { bare } from '#lib/http/reply.ts'
import { getProfile } from '#lib/users/store.ts'

export const handler = endpoint(
  { summary: 'Show who is logged in', access: 'bearer', status: 200, reply: bare(Profile) },
  ({ actor }) => getProfile(actor),
)
