import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { givesEveryRole, mayManageUsers } from '#lib/users/policy.ts'
import { createUser } from '#lib/users/store.ts'
import { NewPlatformUser, NewUser, User, UsersPath, userLocation } from '#lib/users/user.ts'

export const handler = endpoint(
  {
    summary: 'Create a user',
    access: 'login',
    params: UsersPath,
    may: mayManageUsers,
    body: NewUser,
    bodyFor: (actor, tenant) => (givesEveryRole(actor, tenant) ? NewPlatformUser : NewUser),
    status: 201,
    reply: named('user', User),
    location: userLocation,
  },
  ({ tenant, body, once }) => createUser(tenant, body, once),
)
