import { endpoint } from '#lib/http/endpoint.ts'
import { pageQuery } from '#lib/http/page.ts'
import { listOf } from '#lib/http/reply.ts'
import { asSeenBy } from '#lib/users/policy.ts'
import { listUsers } from '#lib/users/store.ts'
import { User, UsersPath } from '#lib/users/user.ts'

export const handler = endpoint(
  {
    summary: 'List the users of a tenant',
    access: 'bearer',
    params: UsersPath,
    query: pageQuery(),
    status: 200,
    reply: listOf('users', User),
  },
  async ({ actor, tenant, query }) => {
    const { items, next } = await listUsers(tenant, query)
    return { items: items.map((user) => asSeenBy(actor, user)), next }
  },
)
