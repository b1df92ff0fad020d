import { beforeAll, describe, expect, test } from 'vitest'
import {
  anId,
  ask,
  at,
  CHANGED,
  forbidden,
  gone,
  invalid,
  iso,
  MADE,
  missing,
  notFound,
  unauthorized,
} from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newTenant, type Person } from '#tests/support/world.ts'

let admin: Person
let house: House
let foreign: House

beforeAll(async () => {
  admin = await newAdmin()
  ;[house, foreign] = await Promise.all([newTenant(admin), newTenant(admin)])
})

const create = (body: object) => ask('createTenant', { as: admin, body })
const made = async (name = 'Acme') => (await at(MADE, () => create({ name }))).body.tenant
const path = ({ id }: { id: number }) => ({ tenant_id: id })

describe('POST /tenants', () => {
  test('an admin creates a tenant and is told where it is', async () => {
    const { status, headers, body } = await at(MADE, () => call('createTenant', { as: admin, body: { name: 'Acme' } }))
    const tenant = { id: anId, name: 'Acme', created_at: iso(MADE), updated_at: iso(MADE), version: 1 }
    expect({ status, body }).toEqual({ status: 201, body: { success: true, tenant } })
    expect(headers.location).toBe(`/api/v1/tenants/${body.tenant.id}`)
    expect(await ask('showTenant', { as: admin, params: path(body.tenant) })).toEqual({ status: 200, body })
  })

  test('two tenants may have one name', async () => {
    const [one, other] = [await made('Twin'), await made('Twin')]
    expect(other).toEqual({ ...one, id: anId })
    expect(other.id).not.toBe(one.id)
  })

  test('what only the service sets, and what it does not know, is ignored', async () => {
    const given = { id: 7, version: 9, created_at: '2001-01-01T00:00:00Z', updated_at: 1, tenant_id: 1, role: 'admin', x: {} }
    const { status, body } = await at(MADE, () => create({ name: 'Acme', ...given }))
    const tenant = { id: anId, name: 'Acme', created_at: iso(MADE), updated_at: iso(MADE), version: 1 }
    expect({ status, body }).toEqual({ status: 201, body: { success: true, tenant } })
    expect(body.tenant.id).not.toBe(7)
  })

  test.each([
    ['as it was sent, its white space too', '  Acme\t& Söhne\u0000 '],
    ['of 200 characters outside the basic plane', '😀'.repeat(200)],
    ['of 200 letters', 'x'.repeat(200)],
  ])('a name is kept %s', async (_how, name) => {
    expect(await create({ name })).toMatchObject({ status: 201, body: { tenant: { name } } })
  })

  test.each([
    ['absent', {}, missing('name')],
    ['absent, whatever else there is', { title: 'Acme' }, missing('name')],
    ['empty', { name: '' }, invalid(['name', 'blank', "Name can't be blank"])],
    ['white space of every kind', { name: ' \t\n\u00a0\u3000\ufeff' }, invalid(['name', 'blank', "Name can't be blank"])],
    ['null', { name: null }, invalid(['name', 'invalid_type', 'Name must be a string'])],
    ['a number', { name: 1 }, invalid(['name', 'invalid_type', 'Name must be a string'])],
    ['an array', { name: ['Acme'] }, invalid(['name', 'invalid_type', 'Name must be a string'])],
    ['too long', { name: 'x'.repeat(201) }, invalid(['name', 'too_long', 'Name is too long (maximum is 200 characters)'])],
    [
      'too long in code points',
      { name: '😀'.repeat(201) },
      invalid(['name', 'too_long', 'Name is too long (maximum is 200 characters)']),
    ],
    ['half a surrogate pair', { name: 'a\ud83d' }, invalid(['name', 'invalid_unicode', 'Name contains invalid Unicode'])],
  ])('a name that is %s is refused', async (_what, body, refusal) => {
    expect(await create(body)).toEqual(refusal)
  })

  test.each(['owner', 'author', 'reader'] as const)('is forbidden to an %s, whatever the body', async (role) => {
    expect(await ask('createTenant', { as: house[role], body: { name: 'Acme' } })).toEqual(forbidden)
    expect(await ask('createTenant', { as: house[role], body: '{' })).toEqual(forbidden)
  })

  test('is refused without a token', async () => {
    expect(await ask('createTenant', { body: { name: 'Acme' } })).toEqual(unauthorized)
  })
})

describe('GET /tenants', () => {
  test('an admin sees every tenant, newest first', async () => {
    const [older, newer] = [await made('Older'), (await at(CHANGED, () => create({ name: 'Newer' }))).body.tenant]
    const { status, body } = await ask('listTenants', {
      as: admin,
      query: { created_after: iso(MADE - 1), created_before: iso(CHANGED + 1), limit: 100 },
    })
    expect({
      status,
      ...body,
      tenants: body.tenants.filter(({ id }: { id: number }) => [older.id, newer.id].includes(id)),
    }).toEqual({
      status: 200,
      success: true,
      tenants: [newer, older],
      next_cursor: null,
    })
    const all = await ask('listTenants', { as: admin, query: { limit: 100 } })
    expect(all.body.tenants.map(({ id }: { id: number }) => id)).toEqual(
      expect.arrayContaining([1, house.tenant_id, foreign.tenant_id]),
    )
  })

  test.each(['owner', 'author', 'reader'] as const)('is forbidden to an %s', async (role) => {
    expect(await ask('listTenants', { as: house[role] })).toEqual(forbidden)
  })

  test('is refused without a token', async () => {
    expect(await ask('listTenants')).toEqual(unauthorized)
  })
})

describe('GET /tenants/{tenant_id}', () => {
  test.each(['owner', 'author', 'reader'] as const)('an %s sees its own', async (role) => {
    const shown = await ask('showTenant', { as: house[role], params: { tenant_id: house.tenant_id } })
    const tenant = {
      id: house.tenant_id,
      name: 'A tenant',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 1,
    }
    expect(shown).toEqual({ status: 200, body: { success: true, tenant } })
    expect(shown).toEqual(await ask('showTenant', { as: admin, params: { tenant_id: house.tenant_id } }))
  })

  test('an admin sees the platform as well', async () => {
    expect(await ask('showTenant', { as: admin, params: { tenant_id: 1 } })).toMatchObject({
      status: 200,
      body: { tenant: { id: 1, name: 'Platform' } },
    })
  })

  test('a foreign tenant answers like one that does not exist', async () => {
    for (const as of [house.owner, house.author, house.reader]) {
      for (const tenant_id of [foreign.tenant_id, 1, 2, 4503599627370496]) {
        expect(await ask('showTenant', { as, params: { tenant_id } })).toEqual(notFound)
      }
    }
    expect(await ask('showTenant', { as: admin, params: { tenant_id: 2 } })).toEqual(notFound)
  })

  test('is refused without a token', async () => {
    expect(await ask('showTenant', { params: { tenant_id: house.tenant_id } })).toEqual(unauthorized)
  })
})

describe('PATCH /tenants/{tenant_id}', () => {
  test('an admin renames any tenant, and each change counts', async () => {
    const tenant = await made()
    const rename = (name: string) => ask('updateTenant', { as: admin, params: path(tenant), body: { name } })
    const renamed = { ...tenant, name: 'Renamed', updated_at: iso(CHANGED), version: 2 }
    expect(await at(CHANGED, () => rename('Renamed'))).toEqual({ status: 200, body: { success: true, tenant: renamed } })
    expect(await ask('showTenant', { as: admin, params: path(tenant) })).toEqual({
      status: 200,
      body: { success: true, tenant: renamed },
    })
    expect(await at(CHANGED + 1, () => rename('Renamed'))).toMatchObject({
      body: { tenant: { updated_at: iso(CHANGED + 1), version: 3 } },
    })
  })

  test('an owner renames its own', async () => {
    const { owner, tenant_id } = await newTenant(admin)
    const renamed = await ask('updateTenant', { as: owner, params: { tenant_id }, body: { name: 'Ours' } })
    expect(renamed).toMatchObject({ status: 200, body: { success: true, tenant: { id: tenant_id, name: 'Ours', version: 2 } } })
  })

  test('nothing but the name can be changed', async () => {
    const tenant = await made()
    const given = { id: 7, version: 70, created_at: iso(0), updated_at: iso(0) }
    const answer = await at(CHANGED, () =>
      ask('updateTenant', { as: admin, params: path(tenant), body: { name: 'B', ...given } }),
    )
    expect(answer).toEqual({
      status: 200,
      body: { success: true, tenant: { ...tenant, name: 'B', updated_at: iso(CHANGED), version: 2 } },
    })
  })

  test.each([
    ['without a field', {}, missing('name')],
    ['with fields that are no fields of it', { id: 2, version: 3 }, missing('name')],
    ['with a blank name', { name: ' ' }, invalid(['name', 'blank', "Name can't be blank"])],
    ['with null', { name: null }, invalid(['name', 'invalid_type', 'Name must be a string'])],
    [
      'with a long name',
      { name: 'x'.repeat(201) },
      invalid(['name', 'too_long', 'Name is too long (maximum is 200 characters)']),
    ],
  ])('is refused %s, whether or not the tenant exists', async (_why, body, refusal) => {
    const tenant = await made()
    expect(await ask('updateTenant', { as: admin, params: path(tenant), body })).toEqual(refusal)
    expect(await ask('updateTenant', { as: admin, params: { tenant_id: 2 }, body })).toEqual(refusal)
    expect((await ask('showTenant', { as: admin, params: path(tenant) })).body.tenant).toEqual(tenant)
  })

  test.each([
    ['an author of it', () => house.author, () => house.tenant_id, forbidden],
    ['a reader of it', () => house.reader, () => house.tenant_id, forbidden],
    ['a foreign owner', () => foreign.owner, () => house.tenant_id, notFound],
    ['a foreign reader', () => foreign.reader, () => house.tenant_id, notFound],
    ['an owner of another, where there is none', () => house.owner, () => 2, notFound],
    ['an admin, where there is none', () => admin, () => 2, notFound],
    ['nobody', () => undefined, () => house.tenant_id, unauthorized],
  ])('is refused to %s', async (_who, as, tenant_id, refusal) => {
    expect(await ask('updateTenant', { as: as(), params: { tenant_id: tenant_id() }, body: { name: 'Taken over' } })).toEqual(
      refusal,
    )
  })
})

describe('DELETE /tenants/{tenant_id}', () => {
  test('an owner deletes its own, and nothing under its path is there any more', async () => {
    const { owner, author, tenant_id } = await newTenant(admin)
    const blog = await newBlog(author)
    const [tenant, user] = [{ tenant_id }, { tenant_id, user_id: author.id }]
    expect(await ask('deleteTenant', { as: owner, params: tenant })).toEqual(gone)
    const named: [name: string, params: Record<string, number>, body?: object][] = [
      ['showTenant', tenant],
      ['updateTenant', tenant, { name: 'Back' }],
      ['deleteTenant', tenant],
      ['listUsers', tenant],
      ['createUser', tenant, { email: 'late@example.org', password: 'long enough' }],
      ['showUser', user],
      ['updateUser', user, { name: 'Late' }],
      ['updateUser', user, { email: 'late@example.org' }],
      ['deleteUser', user],
      ['listBlogs', user],
      ['createBlog', user, { title: 'Late' }],
      ['showBlog', { ...user, blog_id: blog.id }],
      ['updateBlog', { ...user, blog_id: blog.id }, { title: 'Late' }],
      ['deleteBlog', { ...user, blog_id: blog.id }],
    ]
    for (const [name, params, body] of named) {
      expect({ name, ...(await ask(name, { as: admin, params, body })) }).toEqual({ name, ...notFound })
    }
  })

  test('an admin deletes any other', async () => {
    const tenant = await made()
    expect(await ask('deleteTenant', { as: admin, params: path(tenant) })).toEqual(gone)
    expect(await ask('showTenant', { as: admin, params: path(tenant) })).toEqual(notFound)
    const left = await ask('listTenants', {
      as: admin,
      query: { created_after: iso(MADE - 1), created_before: iso(MADE + 1), limit: 100 },
    })
    expect(left.body.tenants.map(({ id }: { id: number }) => id)).not.toContain(tenant.id)
  })

  test('a 204 has neither a body nor its type', async () => {
    const { headers, body } = await call('deleteTenant', { as: admin, params: path(await made()) })
    expect(body).toBeUndefined()
    expect(Object.keys(headers)).not.toContain('content-type')
  })

  test("nobody deletes the platform's own tenant", async () => {
    const { body } = await ask('createUser', {
      as: admin,
      params: { tenant_id: 1 },
      body: { email: 'o@example.org', password: 'correct horse', role: 'owner' },
    })
    const { body: session } = await ask('login', { body: { email: body.user.email, password: 'correct horse' } })
    for (const as of [admin, session]) expect(await ask('deleteTenant', { as, params: { tenant_id: 1 } })).toEqual(forbidden)
    expect(await ask('showTenant', { as: admin, params: { tenant_id: 1 } })).toMatchObject({ status: 200 })
  })

  test.each([
    ['an author of it', () => house.author, () => house.tenant_id, forbidden],
    ['a reader of it', () => house.reader, () => house.tenant_id, forbidden],
    ['a foreign owner', () => foreign.owner, () => house.tenant_id, notFound],
    ['a foreign author', () => foreign.author, () => house.tenant_id, notFound],
    ['an owner, of the platform', () => house.owner, () => 1, notFound],
    ['an admin, where there is none', () => admin, () => 2, notFound],
    ['nobody', () => undefined, () => house.tenant_id, unauthorized],
  ])('is refused to %s', async (_who, as, tenant_id, refusal) => {
    expect(await ask('deleteTenant', { as: as(), params: { tenant_id: tenant_id() } })).toEqual(refusal)
    expect(await ask('showTenant', { as: admin, params: { tenant_id: house.tenant_id } })).toMatchObject({ status: 200 })
  })
})
