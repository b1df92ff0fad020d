import { failure } from '#lib/errors.ts'
import type { TenantId } from '#lib/table/keys.ts'

export const ROLES = ['admin', 'owner', 'author', 'reader'] as const

export type Role = (typeof ROLES)[number]

/** What an API key is good for. */
export const SCOPES = ['read', 'write'] as const

export type Scope = (typeof SCOPES)[number]

/**
 * What a login gave: an opaque token, by its digest, or a JWT, by its end in seconds of Unix time, with the digest of the token that
 * its user had beside it when it was checked.
 */
export type Session = { token_digest: string } | { exp: number; token_digest: string | undefined }

/** Who makes a request, as the verified token says: by a `session` of a person who logged in, or by an API key of that `scope`. */
export type Actor = { id: number; tenant_id: TenantId; role: Role; session?: Session; scope?: Scope }

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
