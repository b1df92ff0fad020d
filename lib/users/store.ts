import type { Actor } from '#lib/auth/actor.ts'
import { createIdentity } from '#lib/auth/identity.ts'
import { digestPassword } from '#lib/auth/passwords.ts'
import { failure } from '#lib/errors.ts'
import { newborn, withNewId } from '#lib/ids.ts'
import { living, under } from '#lib/table/anchors.ts'
import { equals, not } from '#lib/table/expressions.ts'
import { getItem, updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, type Step, transact } from '#lib/table/transact.ts'
import { updateIdentity } from './identity.ts'
import type { NewUser, UserPatch, UserRecord } from './user.ts'

const conflict = () => failure('Conflict')
const inTenant = (tenant: TenantId) => [{ key: anchors.tenant(tenant) }]

export const listUsers = (tenant: TenantId, query: PageQuery): Promise<Page<UserRecord>> =>
  under(inTenant(tenant), readPage(collections.users(tenant), query))

/** Throws a 404 where it is gone. */
export async function getUser(tenant: TenantId, id: number): Promise<UserRecord> {
  const user = await under(inTenant(tenant), getItem<UserRecord>(keys.user(tenant, id)))
  if (!user) throw failure('NotFound')
  return user
}

/** The caller's own record; a 401 where it has just been deleted. */
export async function getProfile({ id, tenant_id }: Actor): Promise<UserRecord> {
  const user = await getItem<UserRecord>(keys.user(tenant_id, id))
  if (!user) throw failure('Unauthorized')
  return user
}

/** Throws a 409 where another user of the tenant has the email. */
export async function createUser(tenant: TenantId, { password, ...input }: NewUser): Promise<UserRecord> {
  const password_digest = await digestPassword(password)
  const now = Date.now()
  return withNewId(now, async (id) => {
    const user = {
      ...newborn(id, now),
      tenant_id: tenant,
      email: input.email,
      name: input.name ?? '',
      role: input.role ?? 'author',
    }
    await transact(newUser(tenant, user, password_digest))
    return user
  })
}

const newUser = (tenant: TenantId, user: UserRecord, password_digest: string): Step[] => [
  living({ key: anchors.tenant(tenant) }),
  create(keys.claim(tenant, user.email), 'claim', { user_id: user.id }, conflict),
  create(keys.user(tenant, user.id), 'user', user),
  create(anchors.user(tenant, user.id), 'anchor', { user_id: user.id }),
  ...createIdentity({ tenant_id: tenant, user_id: user.id, email: user.email, role: user.role, password_digest }),
]

/** Throws a 404 where it is gone, a 403 where only an admin may, a 409 where another user of the tenant has the new email. */
export function updateUser(actor: Actor, tenant: TenantId, id: number, patch: UserPatch): Promise<UserRecord> {
  const { email, password, role } = patch
  const identityStays = email === undefined && password === undefined && role === undefined
  return identityStays ? renameUser(actor, tenant, id, patch) : updateIdentity(actor, tenant, id, patch)
}

function renameUser(actor: Actor, tenant: TenantId, id: number, patch: UserPatch): Promise<UserRecord> {
  const touchable = actor.role === 'admin' ? [] : [not(equals('role', 'admin'))]
  const refuse = (old: object | undefined) => failure(old ? 'Forbidden' : 'NotFound')
  return under(inTenant(tenant), updateRecord(keys.user(tenant, id), { name: patch.name }, touchable, refuse))
}
