import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { mayManageTenants } from '#lib/tenants/policy.ts'
import { createTenant } from '#lib/tenants/store.ts'
import { NewTenant, Tenant, tenantLocation } from '#lib/tenants/tenant.ts'

export const handler = endpoint(
  {
    summary: 'Create a tenant',
    access: 'login',
    may: mayManageTenants,
    body: NewTenant,
    status: 201,
    reply: named('tenant', Tenant),
    location: tenantLocation,
  },
  ({ body, once }) => createTenant(body, once),
)
