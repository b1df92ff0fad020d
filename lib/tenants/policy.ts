import { type Actor, PLATFORM_TENANT } from '#lib/auth/actor.ts'
import type { TenantPath } from './tenant.ts'

/** Listing and creating: the platform's business. */
export const mayManageTenants = ({ role }: Actor): boolean => role === 'admin'

/** That it is the caller's own is the scope's work. */
export const mayUpdateTenant = ({ role }: Actor): boolean => role === 'admin' || role === 'owner'

/** Nobody deletes the platform's own tenant. */
export const mayDeleteTenant = (actor: Actor, { tenant_id }: TenantPath): boolean =>
  mayUpdateTenant(actor) && tenant_id !== PLATFORM_TENANT
