import { endpoint } from '#lib/http/endpoint.ts'
import { pageQuery } from '#lib/http/page.ts'
import { listOf } from '#lib/http/reply.ts'
import { mayManageTenants } from '#lib/tenants/policy.ts'
import { listTenants } from '#lib/tenants/store.ts'
import { Tenant } from '#lib/tenants/tenant.ts'

export const handler = endpoint(
  {
    summary: 'List all tenants',
    access: 'bearer',
    may: mayManageTenants,
    query: pageQuery(),
    status: 200,
    reply: listOf('tenants', Tenant),
  },
  ({ query }) => listTenants(query),
)
