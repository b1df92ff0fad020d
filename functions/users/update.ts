import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { givesEveryRole, mayManageUsers, mayUpdateUser } from '#lib/users/policy.ts'
import { updateUser } from '#lib/users/store.ts'
import { PlatformUserPatch, User, UserPatch, UserPath } from '#lib/users/user.ts'

export const handler = endpoint(
  {
    summary: 'Update a user',
    access: 'login',
    params: UserPath,
    may: mayUpdateUser,
    body: UserPatch,
    bodyFor: (actor, tenant) => (givesEveryRole(actor, tenant) ? PlatformUserPatch : UserPatch),
    restricted: { role: mayManageUsers },
    status: 200,
    reply: named('user', User),
  },
  ({ actor, tenant, params, body, ifMatch }) => updateUser(actor, tenant, params.user_id, body, ifMatch),
)
