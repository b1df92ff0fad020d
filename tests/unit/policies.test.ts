import { describe, expect, test } from 'vitest'
import { type Actor, ROLES, type Role, scopeOf } from '#lib/auth/actor.ts'
import { mayWriteBlogs } from '#lib/blogs/policy.ts'
import { moderatesBlogOf, moderatesEverywhere } from '#lib/comments/policy.ts'
import { Failure } from '#lib/errors.ts'
import { mayWriteInAnyBlog, mayWritePosts } from '#lib/posts/policy.ts'
import type { TenantId } from '#lib/table/keys.ts'
import { mayDeleteTenant, mayManageTenants, mayUpdateTenant } from '#lib/tenants/policy.ts'
import {
  asSeenBy,
  demotesItself,
  givesEveryRole,
  mayDeleteUser,
  mayManageUsers,
  mayTouch,
  mayUpdateUser,
} from '#lib/users/policy.ts'
import type { UserRecord } from '#lib/users/user.ts'

const ME = 100
const OTHER = 200
const TENANT = 7 as TenantId

const actor = (role: Role): Actor => ({ id: ME, tenant_id: TENANT, role })

/** The roles that a policy says yes to. */
const allowed = (may: (actor: Actor) => boolean): string => ROLES.filter((role) => may(actor(role))).join(' ')

describe('who may do what', () => {
  test.each<[string, (actor: Actor) => boolean, string]>([
    ['list and create tenants', mayManageTenants, 'admin'],
    ['update a tenant', mayUpdateTenant, 'admin owner'],
    ['delete a tenant', (a) => mayDeleteTenant(a, { tenant_id: TENANT }), 'admin owner'],
    ["delete the platform's own tenant", (a) => mayDeleteTenant(a, { tenant_id: 1 }), ''],
    ['create users and give roles', mayManageUsers, 'admin owner'],
    ['update another user', (a) => mayUpdateUser(a, { user_id: OTHER }), 'admin owner'],
    ['update themselves', (a) => mayUpdateUser(a, { user_id: ME }), 'admin owner author reader'],
    ['delete another user', (a) => mayDeleteUser(a, { user_id: OTHER }), 'admin owner'],
    ['delete themselves', (a) => mayDeleteUser(a, { user_id: ME }), 'owner author reader'],
    ['change an admin', (a) => mayTouch(a, 'admin'), 'admin'],
    ['change an owner, as far as that goes', (a) => mayTouch(a, 'owner'), 'admin owner author reader'],
    ["give every role in the platform's tenant", (a) => givesEveryRole(a, 1), 'admin'],
    ['give every role elsewhere', (a) => givesEveryRole(a, TENANT), ''],
    ['write blogs for others', (a) => mayWriteBlogs(a, { tenant_id: TENANT, user_id: OTHER }), 'admin owner'],
    ['write blogs for themselves', (a) => mayWriteBlogs(a, { tenant_id: TENANT, user_id: ME }), 'admin owner author'],
    ['write posts', mayWritePosts, 'admin owner author'],
    ["write posts in others' blogs", mayWriteInAnyBlog, 'admin owner'],
    ["delete anybody's comment", moderatesEverywhere, 'admin owner'],
    ["delete a comment on a post in another's blog", (a) => moderatesBlogOf(a, OTHER), ''],
    ['delete a comment on a post in their own blog, on top of that', (a) => moderatesBlogOf(a, ME), 'author'],
    ['demote themselves', (a) => !demotesItself(a, ME, { role: 'reader' }), 'owner author reader'],
    ['keep their own role', (a) => !demotesItself(a, ME, { role: a.role }), 'admin owner author reader'],
    ['leave their own role out', (a) => !demotesItself(a, ME, {}), 'admin owner author reader'],
    ['demote another', (a) => !demotesItself(a, OTHER, { role: 'reader' }), 'admin owner author reader'],
  ])('%s', (_what, may, roles) => {
    expect(allowed(may)).toBe(roles)
  })
})

describe('what of a user is seen', () => {
  const user = (id: number): UserRecord => ({
    id,
    tenant_id: TENANT,
    email: 'ada@example.org',
    name: 'Ada',
    role: 'author',
    created_at: '2026-11-20T14:00:00.000Z',
    updated_at: '2026-11-20T14:00:00.000Z',
    version: 1,
  })
  const public_ = ({ id, tenant_id, name, role, created_at }: UserRecord) => ({ id, tenant_id, name, role, created_at })

  test.each<[Role, number, boolean]>([
    ['admin', OTHER, true],
    ['owner', OTHER, true],
    ['author', OTHER, false],
    ['reader', OTHER, false],
    ['author', ME, true],
    ['reader', ME, true],
  ])('by a caller who is %s of the user %i: everything is %s', (role, id, everything) => {
    expect(asSeenBy(actor(role), user(id))).toEqual(everything ? user(id) : public_(user(id)))
  })
})

describe('the tenant of a request', () => {
  test.each(ROLES)("is the token's where the path names none, or the same (%s)", (role) => {
    expect([scopeOf(actor(role), undefined), scopeOf(actor(role), TENANT)]).toEqual([TENANT, TENANT])
  })

  test("is any other for an admin's path alone", () => {
    expect(scopeOf(actor('admin'), 8)).toBe(8)
  })

  test.each(['owner', 'author', 'reader'] as const)('does not exist for another %s', (role) => {
    const refused = expect.objectContaining({ status: 404, error: 'Not found' })
    expect(() => scopeOf(actor(role), 8)).toThrow(Failure)
    expect(() => scopeOf(actor(role), 8)).toThrow(refused)
    expect(() => scopeOf(actor(role), 1)).toThrow(refused)
  })
})
