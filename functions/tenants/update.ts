import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { mayUpdateTenant } from '#lib/tenants/policy.ts'
import { updateTenant } from '#lib/tenants/store.ts'
import { Tenant, TenantPatch, TenantPath } from '#lib/tenants/tenant.ts'

export const handler = endpoint(
  {
    summary: 'Update a tenant',
    access: 'bearer',
    params: TenantPath,
    may: mayUpdateTenant,
    body: TenantPatch,
    status: 200,
    reply: named('tenant', Tenant),
  },
  ({ tenant, body, ifMatch }) => updateTenant(tenant, body, ifMatch),
)
