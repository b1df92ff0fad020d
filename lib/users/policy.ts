import { type Actor, PLATFORM_TENANT, type Role } from '#lib/auth/actor.ts'
import type { User, UserPatch, UserRecord } from './user.ts'

/** Creating users and giving roles, below what only an admin may give. */
export const mayManageUsers = ({ role }: Actor): boolean => role === 'admin' || role === 'owner'

export const mayUpdateUser = (actor: Actor, { user_id }: { user_id: number }): boolean =>
  mayManageUsers(actor) || actor.id === user_id

/** An admin can't delete itself, so that one always remains. */
export const mayDeleteUser = (actor: Actor, { user_id }: { user_id: number }): boolean =>
  actor.id === user_id ? actor.role !== 'admin' : mayManageUsers(actor)

/** Only an admin gives `admin`, and only in the platform's own tenant. */
export const givesEveryRole = ({ role }: Actor, tenant_id: number): boolean => role === 'admin' && tenant_id === PLATFORM_TENANT

/** An admin can't demote itself. */
export const demotesItself = (actor: Actor, user_id: number, { role = actor.role }: UserPatch): boolean =>
  actor.role === 'admin' && actor.id === user_id && role !== 'admin'

/** Nobody but an admin changes or deletes an admin: its password would be a way to its role. */
export const mayTouch = (actor: Actor, role: Role): boolean => actor.role === 'admin' || role !== 'admin'

const seesEverything = (actor: Actor, { id }: UserRecord): boolean => mayManageUsers(actor) || actor.id === id

/** What of a user the caller sees. */
export function asSeenBy(actor: Actor, user: UserRecord): User {
  if (seesEverything(actor, user)) return user
  const { id, tenant_id, name, role, created_at } = user
  return { id, tenant_id, name, role, created_at }
}
