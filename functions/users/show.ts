import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { asSeenBy } from '#lib/users/policy.ts'
import { getUser } from '#lib/users/store.ts'
import { User, UserPath } from '#lib/users/user.ts'

export const handler = endpoint(
  { summary: 'Show a user', access: 'bearer', params: UserPath, status: 200, reply: named('user', User) },
  async ({ actor, tenant, params }) => asSeenBy(actor, await getUser(tenant, params.user_id)),
)
