import type { Actor, Role } from '#lib/auth/actor.ts'
import * as identity from '#lib/auth/identity.ts'
import { digestPassword } from '#lib/auth/passwords.ts'
import { ended, passMark } from '#lib/auth/sessions.ts'
import { nowSeconds } from '#lib/clock.ts'
import { failure } from '#lib/errors.ts'
import { getAllUnder, mark, markAnchor } from '#lib/table/anchors.ts'
import { type Clause, equals } from '#lib/table/expressions.ts'
import { getItem } from '#lib/table/items.ts'
import { anchors, keys, type TenantId } from '#lib/table/keys.ts'
import { asExpected, requireExpected, type Versions } from '#lib/table/preconditions.ts'
import { change, check, create, erase, eraseAny, type Step, transact } from '#lib/table/transact.ts'
import { demotesItself, mayTouch } from './policy.ts'
import type { UserPatch, UserRecord } from './user.ts'

const conflict = () => failure('Conflict')

type Known = { user: UserRecord; principal: identity.Principal }

/**
 * Changes a user's role, email or password, with everything that stands for it, in one transaction. Throws a 404 where the user
 * is gone, a 403 where only an admin may, a 412 where its version is another, a 409 where another user of the tenant has the new email.
 */
export async function updateIdentity(
  actor: Actor,
  tenant: TenantId,
  id: number,
  { password, ...given }: UserPatch,
  ifMatch: Versions,
): Promise<UserRecord> {
  const password_digest = password === undefined ? undefined : await digestPassword(password)
  return identity.settle(async () => {
    const begun = nowSeconds()
    const { user, principal } = await readUser(tenant, id)
    if (!mayTouch(actor, user.role) || demotesItself(actor, id, given)) throw failure('Forbidden')
    requireExpected(ifMatch, user)
    const next = { ...user, ...given, updated_at: new Date().toISOString(), version: user.version + 1 } as UserRecord
    await transact([
      ...(next.email === user.email ? [] : moveClaim(tenant, user, next)),
      ...keepsAnAdmin(actor, user, next),
      change(keys.user(tenant, id), { set: changed(next) }, [equals('version', user.version)], identity.moved),
      ...(await identitySteps(principal, next, password_digest)),
    ])
    if (password_digest !== undefined) await passMark(id, begun)
    return next
  })
}

const changed = ({ email, name, role, updated_at, version }: UserRecord) => ({ email, name, role, updated_at, version })

async function identitySteps(
  principal: identity.Principal,
  { email, role }: UserRecord,
  password_digest: string | undefined,
): Promise<Step[]> {
  const password = password_digest === undefined ? undefined : passwordAfter(principal, password_digest)
  return [
    identity.changeIdentity(principal, { email, role, ...(password && withoutSessions(principal, password)) }),
    ...(await loginSteps(principal, email, password)),
    ...tokenSteps(principal, role, password !== undefined),
  ]
}

const passwordAfter = ({ password_version }: identity.Principal, password_digest: string): identity.Password => ({
  password_digest,
  password_version: password_version + 1,
})

const withoutSessions = (principal: identity.Principal, { password_version }: identity.Password): identity.IdentityChange => ({
  ...ended(principal),
  password_version,
  api_keys: {},
})

async function loginSteps(
  principal: identity.Principal,
  email: string,
  password: identity.Password | undefined,
): Promise<Step[]> {
  if (email === principal.email) return password ? [identity.changePassword(principal, password)] : []
  const login = await getItem<identity.Login>(keys.login(principal.email, principal.user_id))
  if (!login) throw identity.moved()
  return identity.moveLogin(login, { ...password, email })
}

/** A new password ends every token, and a new role is written into each; a new email is none of theirs. */
function tokenSteps(principal: identity.Principal, role: Role, hasNewPassword: boolean): Step[] {
  if (hasNewPassword) return identity.eraseTokens(principal)
  return role === principal.role ? [] : identity.changeTokenRole(principal, role)
}

const moveClaim = (tenant: TenantId, from: UserRecord, to: UserRecord): Step[] => [
  create(keys.claim(tenant, to.email), 'claim', { user_id: to.id }, (old) =>
    old?.user_id === to.id ? identity.moved() : conflict(),
  ),
  erase(keys.claim(tenant, from.email), [equals('user_id', from.id)], identity.moved),
]

/** Two admins who demote or delete each other at once would leave none: who removes an admin must be one still. */
function keepsAnAdmin(actor: Actor, user: UserRecord, next?: UserRecord): Step[] {
  if (user.role !== 'admin' || next?.role === 'admin') return []
  return [check(keys.principal(actor.id), [equals('role', 'admin')], () => failure('Forbidden'))]
}

async function readUser(tenant: TenantId, id: number): Promise<Known> {
  const parents = [{ key: anchors.tenant(tenant) }]
  const [user, principal] = await getAllUnder<[UserRecord, identity.Principal]>(parents, [
    keys.user(tenant, id),
    keys.principal(id),
  ])
  return { user, principal }
}

/** Throws a 404 where it is gone, a 403 where only an admin may. The user's tokens are dead with the same write. */
export function deleteUser(actor: Actor, tenant: TenantId, id: number, ifMatch?: Versions): Promise<void> {
  return identity.settle(async () => {
    const { user, principal } = await readUser(tenant, id)
    if (!mayTouch(actor, user.role)) throw failure('Forbidden')
    requireExpected(ifMatch, user)
    await transact([...keepsAnAdmin(actor, user), ...userErased(tenant, principal, asExpected(ifMatch))])
  })
}

/** The same for the cascade, under a tenant that is being purged: without a caller, and done where the user is gone already. */
export function purgeUser(tenant: TenantId, id: number): Promise<void> {
  return identity.settle(async () => {
    const principal = await getItem<identity.Principal>(keys.principal(id))
    if (principal) await transact(userErased(tenant, principal))
    else await markAnchor(anchors.user(tenant, id))
  })
}

const userErased = (tenant: TenantId, principal: identity.Principal, clauses: Clause[] = []): Step[] => [
  erase(keys.user(tenant, principal.user_id), clauses, identity.moved),
  ...identity.eraseIdentity(principal),
  eraseAny(keys.claim(tenant, principal.email)),
  mark(anchors.user(tenant, principal.user_id)),
]
