import { endpoint } from '#lib/http/endpoint.ts'
import { deleteUser } from '#lib/users/identity.ts'
import { mayDeleteUser } from '#lib/users/policy.ts'
import { UserPath } from '#lib/users/user.ts'

export const handler = endpoint(
  {
    summary: 'Delete a user with everything it owns',
    access: 'login',
    params: UserPath,
    may: mayDeleteUser,
    unmetered: true,
    status: 204,
  },
  ({ actor, tenant, params, ifMatch }) => deleteUser(actor, tenant, params.user_id, ifMatch),
)
