import type { Actor, Role } from '#lib/auth/actor.ts'
import { createIdentity } from '#lib/auth/identity.ts'
import { digestPassword } from '#lib/auth/passwords.ts'
import { failure } from '#lib/errors.ts'
import { newborn } from '#lib/ids.ts'
import { getUnder, living, under } from '#lib/table/anchors.ts'
import { createRecord, type Once } from '#lib/table/creation.ts'
import { equals, not } from '#lib/table/expressions.ts'
import { getItem, updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { asExpected, refusedUnless, type Versions } from '#lib/table/preconditions.ts'
import { create, type Step } from '#lib/table/transact.ts'
import { updateIdentity } from './identity.ts'
import { mayTouch } from './policy.ts'
import { type NewUser, User, type UserPatch, type UserRecord } from './user.ts'

const conflict = () => failure('Conflict')
const inTenant = (tenant: TenantId) => [{ key: anchors.tenant(tenant) }]

export const listUsers = (tenant: TenantId, query: PageQuery): Promise<Page<UserRecord>> =>
  under(inTenant(tenant), readPage(collections.users(tenant), User, query))

/** Throws a 404 where it is gone. */
export const getUser = (tenant: TenantId, id: number): Promise<UserRecord> => getUnder(inTenant(tenant), keys.user(tenant, id))

/** The caller's own record; a 401 where it has just been deleted. */
export async function getProfile({ id, tenant_id }: Actor): Promise<UserRecord> {
  const user = await getItem<UserRecord>(keys.user(tenant_id, id))
  if (!user) throw failure('Unauthorized')
  return user
}

/** Throws a 409 where another user of the tenant has the email. */
export async function createUser(tenant: TenantId, { password, ...input }: NewUser, once?: Once): Promise<UserRecord> {
  const password_digest = await digestPassword(password)
  const { email, name = '', role = 'author' } = input
  return createRecord(
    {
      at: Date.now(),
      record: (id, at) => ({ ...newborn(id, at), tenant_id: tenant, email, name, role }),
      steps: (user) => newUser(tenant, user, password_digest),
    },
    once,
  )
}

const newUser = (tenant: TenantId, user: UserRecord, password_digest: string): Step[] => [
  living({ key: anchors.tenant(tenant) }),
  create(keys.claim(tenant, user.email), 'claim', { user_id: user.id }, conflict),
  create(keys.user(tenant, user.id), 'user', user),
  create(anchors.user(tenant, user.id), 'anchor', { user_id: user.id }),
  ...createIdentity({ tenant_id: tenant, user_id: user.id, email: user.email, role: user.role, password_digest }),
]

/**
 * Throws a 404 where it is gone, a 403 where only an admin may, a 412 where its version is another, a 409 where another user of
 * the tenant has the new email.
 */
export function updateUser(
  actor: Actor,
  tenant: TenantId,
  id: number,
  patch: UserPatch,
  ifMatch?: Versions,
): Promise<UserRecord> {
  const { email, password, role } = patch
  const identityStays = email === undefined && password === undefined && role === undefined
  return (identityStays ? renameUser : updateIdentity)(actor, tenant, id, patch, ifMatch)
}

function renameUser(actor: Actor, tenant: TenantId, id: number, { name }: UserPatch, ifMatch: Versions): Promise<UserRecord> {
  const clauses = [...(actor.role === 'admin' ? [] : [not(equals('role', 'admin'))]), ...asExpected(ifMatch)]
  const refuse = refusedUnless(({ role }) => mayTouch(actor, role as Role))
  return under(inTenant(tenant), updateRecord(keys.user(tenant, id), { name }, clauses, refuse))
}
