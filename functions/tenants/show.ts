import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { getTenant } from '#lib/tenants/store.ts'
import { Tenant, TenantPath } from '#lib/tenants/tenant.ts'

export const handler = endpoint(
  { summary: 'Show a tenant', access: 'bearer', params: TenantPath, status: 200, reply: named('tenant', Tenant) },
  ({ tenant }) => getTenant(tenant),
)
