import { endpoint } from '#lib/http/endpoint.ts'
import { mayDeleteTenant } from '#lib/tenants/policy.ts'
import { deleteTenant } from '#lib/tenants/store.ts'
import { TenantPath } from '#lib/tenants/tenant.ts'

export const handler = endpoint(
  { summary: 'Delete a tenant with everything it owns', access: 'login', params: TenantPath, may: mayDeleteTenant, status: 204 },
  ({ tenant, ifMatch }) => deleteTenant(tenant, ifMatch),
)
