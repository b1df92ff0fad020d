import { failure } from '#lib/errors.ts'
import type { TenantId } from '#lib/table/keys.ts'

export const ROLES = ['admin', 'owner', 'author', 'reader'] as const

export type Role = (typeof ROLES)[number]

/** Who makes a request, as the verified token says. */
export type Actor = { id: number; tenant_id: TenantId; role: Role }

/** The platform's own tenant, where the admins live. */
export const PLATFORM_TENANT = 1 as TenantId

/**
 * The tenant that a request works in: the token's, unless an admin's path names another. For everybody else a foreign tenant
 * does not exist (404).
 */
export function scopeOf(actor: Actor, named: number | undefined): TenantId {
  if (named === undefined || named === actor.tenant_id) return actor.tenant_id
  if (actor.role !== 'admin') throw failure('NotFound')
  return named as TenantId
}
