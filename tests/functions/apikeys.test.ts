import { createHash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { deleteItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import { type Answer, anId, ask, forbidden, gone, invalid, iso, missing, notFound, unauthorized } from '#tests/support/answers.ts'
import { type CallRequest, call } from '#tests/support/call.ts'
import { allItems, type StoredItem } from '#tests/support/table.ts'
import {
  type House,
  logIn,
  newAdmin,
  newBlog,
  newComment,
  newPost,
  newTenant,
  newUser,
  PASSWORD,
  type Person,
} from '#tests/support/world.ts'
import { routes } from '#tools/routes.ts'

const DAY_MS = 86_400_000
const requireLogin: Answer = { status: 401, body: { success: false, error: 'require_login' } }

let admin: Person
let house: House
let person: Person

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

beforeEach(async () => {
  person = await newUser(admin, house.tenant_id, 'author')
})

afterEach(() => {
  vi.useRealTimers()
})

const create = (body: unknown, as: { token: string } = person) => call('createApiKey', { as, body })
const newKey = async (body: object = {}, as = person) => (await create({ name: 'A key', ...body }, as)).body.key
const list = async (as: { token: string } = person) => (await ask('listApiKeys', { as })).body.keys
const end = (key_id: number, as: { token: string } = person) => ask('deleteApiKey', { as, params: { key_id } })
const profile = async (as: { token: string }): Promise<number> => (await ask('showProfile', { as })).status
const pathOf = ({ tenant_id, id }: Person) => ({ tenant_id, user_id: id })
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

const itemsOfKey = async (token: string): Promise<StoredItem[]> =>
  (await allItems()).filter(({ digest }) => digest === digestOf(token))

describe('POST /profile/keys', () => {
  test('makes a key that reads for 90 days, unless told otherwise', async () => {
    const begun = Date.now()
    const made = await create({ name: 'Backup' })
    const { id, token, created_at, expires_at, ...rest } = made.body.key
    expect(made).toMatchObject({ status: 201, body: { success: true }, headers: { 'cache-control': 'no-store' } })
    expect(rest).toEqual({ name: 'Backup', scope: 'read', last_used_at: null })
    expect(id).toEqual(anId)
    expect(token).toMatch(/^mh_[0-9a-f]{64}$/)
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(begun)
    const end = Date.parse(created_at) + 90 * DAY_MS
    expect(expires_at).toBe(iso(Math.ceil(end / 1000) * 1000))
    expect(Object.keys(made.body.key).sort()).toEqual(
      ['id', 'name', 'scope', 'expires_at', 'created_at', 'last_used_at', 'token'].sort(),
    )
  })

  test('makes one that writes until the time given', async () => {
    const made = await create({ name: 'Deploy', scope: 'write', expires_at: '2062-01-02T03:04:05+01:00' })
    expect(made.body.key).toMatchObject({ name: 'Deploy', scope: 'write', expires_at: '2062-01-02T02:04:05.000Z' })
    expect(await profile(made.body.key)).toBe(200)
  })

  test('ignores what only the service sets', async () => {
    const key = await newKey({ id: 7, token: 'mh_mine', user_id: house.owner.id, role: 'owner', last_used_at: iso(0) })
    expect(key).toMatchObject({ id: anId, last_used_at: null, token: expect.stringMatching(/^mh_[0-9a-f]{64}$/) })
    expect(await ask('showProfile', { as: key })).toMatchObject({ status: 200, body: { id: person.id, role: 'author' } })
  })

  test('shows the token once, and keeps nothing but its digest', async () => {
    const { token, ...key } = await newKey()
    expect(await list()).toEqual([key])
    const stored = JSON.stringify(await allItems())
    expect(stored).toContain(digestOf(token))
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(token.slice(3))
  })

  test.each<[string, unknown, Answer]>([
    ['no name', {}, missing('name')],
    ['a blank name', { name: ' ' }, invalid(['name', 'blank', "Name can't be blank"])],
    ['a name that is no string', { name: 7 }, invalid(['name', 'invalid_type', 'Name must be a string'])],
    ['a long name', { name: 'x'.repeat(201) }, invalid(['name', 'too_long', 'Name is too long (maximum is 200 characters)'])],
    ['no scope of ours', { name: 'A', scope: 'admin' }, invalid(['scope', 'inclusion', 'Scope is not included in the list'])],
    ['a scope that is null', { name: 'A', scope: null }, invalid(['scope', 'invalid_type', 'Scope must be a string'])],
    [
      'an end in the past',
      { name: 'A', expires_at: '2020-01-01T00:00:00Z' },
      invalid(['expires_at', 'past', 'Expires at must be in the future']),
    ],
    [
      'an end beyond all time',
      { name: 'A', expires_at: '2090-01-01T00:00:00Z' },
      invalid(['expires_at', 'too_late', 'Expires at is too late']),
    ],
    [
      'an end that is no time',
      { name: 'A', expires_at: 'tomorrow' },
      invalid(['expires_at', 'invalid', 'Expires at is not a valid time']),
    ],
    [
      'an end of another type',
      { name: 'A', expires_at: 7 },
      invalid(['expires_at', 'invalid_type', 'Expires at must be a string']),
    ],
    [
      'all of it wrong',
      { name: '', scope: 'x', expires_at: 'x' },
      invalid(
        ['name', 'blank', "Name can't be blank"],
        ['scope', 'inclusion', 'Scope is not included in the list'],
        ['expires_at', 'invalid', 'Expires at is not a valid time'],
      ),
    ],
  ])('is refused with %s', async (_what, body, answer) => {
    expect(await ask('createApiKey', { as: person, body })).toEqual(answer)
    expect(await list()).toEqual([])
  })
})

describe('GET /profile/keys', () => {
  test('lists the caller’s own, newest first, in pages', async () => {
    const names = ['One', 'Two', 'Three']
    for (const name of names) await newKey({ name })
    await newKey({ name: 'Theirs' }, house.owner)
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['Three', 'Two', 'One'])
    const first = await ask('listApiKeys', { as: person, query: { limit: 2 } })
    const second = await ask('listApiKeys', { as: person, query: { limit: 2, cursor: first.body.next_cursor } })
    expect([...first.body.keys, ...second.body.keys].map(({ name }) => name)).toEqual(['Three', 'Two', 'One'])
    expect(second.body.next_cursor).toBeNull()
    expect(JSON.stringify(first.body)).not.toMatch(/mh_|digest|token/)
  })
})

describe('DELETE /profile/keys/{key_id}', () => {
  test('ends the key at once', async () => {
    const [one, two] = [await newKey(), await newKey()]
    expect(await end(one.id)).toEqual(gone)
    expect([await profile(one), await profile(two)]).toEqual([401, 200])
    expect((await list()).map(({ id }: { id: number }) => id)).toEqual([two.id])
    expect(await end(one.id)).toEqual(notFound)
    expect(await itemsOfKey(one.token)).toEqual([])
  })

  test('ends one whose item is lost, which would stand in the way of a new role', async () => {
    const { id } = await newKey()
    await deleteItem(keys.apiKey(person.id, id), [], () => new Error('There is no key'))
    expect(await end(id)).toEqual(gone)
    expect(await end(id)).toEqual(notFound)
    expect(await ask('updateUser', { as: house.owner, params: pathOf(person), body: { role: 'reader' } })).toMatchObject({
      status: 200,
    })
  })

  test('does not know another user’s key, not for an owner or an admin either', async () => {
    const key = await newKey()
    for (const as of [house.owner, house.other, admin, (await newTenant(admin)).owner]) {
      expect(await end(key.id, as)).toEqual(notFound)
    }
    expect(await profile(key)).toBe(200)
  })

  test('may be asked by a key that writes, for itself too', async () => {
    const [reading, writing] = [await newKey(), await newKey({ scope: 'write' })]
    expect(await end(writing.id, reading)).toEqual(forbidden)
    expect(await end(reading.id, writing)).toEqual(gone)
    expect(await end(writing.id, writing)).toEqual(gone)
    expect([await profile(reading), await profile(writing)]).toEqual([401, 401])
  })
})

describe('a key', () => {
  test('counts until its end, though its item is there still', async () => {
    const now = Date.now()
    const key = await newKey({ expires_at: iso(now + 60_000) })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(key.expires_at) - 1 })
    expect(await profile(key)).toBe(200)
    vi.setSystemTime(Date.parse(key.expires_at))
    expect(await profile(key)).toBe(401)
    expect(await itemsOfKey(key.token)).toHaveLength(1)
    expect(await list()).toEqual([])
  })

  test('makes room for another when it has ended', async () => {
    const now = Date.now()
    for (let n = 0; n < 20; n++) expect(await newKey({ expires_at: iso(now + 60_000) })).toMatchObject({ name: 'A key' })
    expect(await ask('createApiKey', { as: person, body: { name: 'A key' } })).toEqual({
      status: 422,
      body: { success: false, error: 'No more than 20 keys can be kept', details: null },
    })
    vi.useFakeTimers({ toFake: ['Date'], now: now + 61_000 })
    expect(await newKey()).toMatchObject({ name: 'A key' })
    expect((await allItems()).filter(({ type, user_id }) => type === 'key' && user_id === person.id)).toHaveLength(1)
  })

  test('remembers the day of its last use, with one write a day', async () => {
    const key = await newKey()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(key.created_at) })
    const today = `${key.created_at.slice(0, 10)}T00:00:00.000Z`
    await profile(key)
    expect(await list()).toMatchObject([{ last_used_at: today }])
    const [item] = await itemsOfKey(key.token)
    await profile(key)
    expect(await itemsOfKey(key.token)).toEqual([item])
    vi.setSystemTime(Date.parse(today) + DAY_MS)
    await profile(key)
    expect(await list()).toMatchObject([{ last_used_at: iso(Date.parse(today) + DAY_MS) }])
  })

  test('is used by what is refused as well, but not by what is not it', async () => {
    const key = await newKey()
    for (const token of [key.token.slice(3), key.token.toUpperCase(), ` ${key.token}x`, `mh_${key.token}`]) {
      expect(await profile({ token })).toBe(401)
    }
    expect(await list()).toMatchObject([{ last_used_at: null }])
    expect(await end(key.id, key)).toEqual(forbidden)
    expect(await list()).toMatchObject([{ last_used_at: expect.any(String) }])
  })

  test.each<[string, (own: string, other: string) => string]>([
    ['another secret', (own, other) => own.slice(0, 31) + other.slice(31)],
    ['the place of another', (own, other) => other.slice(0, 31) + own.slice(31)],
    ['a last digit that is another', (own) => own.slice(0, -1) + (own.endsWith('0') ? '1' : '0')],
    ['no secret', (own) => own.slice(0, 31) + '0'.repeat(36)],
    ['another user’s id', (own) => `mh_${'0'.repeat(13)}1${own.slice(17)}`],
    ['ids beyond all ids', (own) => `mh_${'f'.repeat(28)}${own.slice(31)}`],
    ['the id of nothing', (own) => `mh_${'0'.repeat(28)}${own.slice(31)}`],
  ])('is none with %s', async (_what, forge) => {
    const [own, other] = [await newKey(), await newKey({}, house.owner)]
    expect(await profile({ token: forge(own.token, other.token) })).toBe(401)
    expect(await list()).toMatchObject([{ last_used_at: null }])
  })

  test('has the role that its user has now', async () => {
    const key = await newKey({ scope: 'write' })
    const params = pathOf(person)
    const blog = () => ask('createBlog', { as: key, params, body: { title: 'Mine' } })
    const become = (role: string) => ask('updateUser', { as: house.owner, params, body: { role } })
    expect(await blog()).toMatchObject({ status: 201 })
    await become('reader')
    expect(await blog()).toEqual(forbidden)
    await become('author')
    expect(await blog()).toMatchObject({ status: 201 })
    expect(await list()).toMatchObject([{ id: key.id, scope: 'write' }])
  })

  test('stays when the name or the email of its user changes, or its user logs in or out', async () => {
    const key = await newKey()
    const params = pathOf(person)
    await ask('updateUser', { as: house.owner, params, body: { name: 'Ada' } })
    await ask('updateUser', { as: house.owner, params, body: { email: `new-${person.id}@example.org` } })
    const later = await logIn({ ...person, email: `new-${person.id}@example.org` })
    expect(await ask('deleteSessions', { as: later })).toEqual(gone)
    expect([await profile(later), await profile(key)]).toEqual([401, 200])
  })

  test.each([
    ['by its user', () => person],
    ['by an owner', () => house.owner],
  ])('ends with every other and with all sessions when the password changes: %s', async (_who, by) => {
    const keys = [await newKey(), await newKey({ scope: 'write' })]
    const { email, tenant_id } = person
    const { jwt } = (await call('createSession', { body: { email, tenant_id, password: PASSWORD } })).body
    expect(await ask('updateUser', { as: by(), params: pathOf(person), body: { password: 'another horse' } })).toMatchObject({
      status: 200,
    })
    for (const as of [...keys, person, { token: jwt }]) expect(await profile(as)).toBe(401)
    const again = (await call('login', { body: { email, tenant_id, password: 'another horse' } })).body
    expect(await list(again)).toEqual([])
  })

  test('ends with its user', async () => {
    const key = await newKey()
    expect(await ask('deleteUser', { as: house.owner, params: pathOf(person) })).toEqual(gone)
    expect(await ask('showProfile', { as: key })).toEqual(unauthorized)
    expect(await itemsOfKey(key.token)).toEqual([])
  })

  test('may be made with a JWT', async () => {
    const { email, tenant_id } = person
    const { jwt } = (await call('createSession', { body: { email, tenant_id, password: PASSWORD } })).body
    expect(await profile(await newKey({}, { ...person, token: jwt }))).toBe(200)
  })
})

/** Operations that need a person who logged in. */
const PERSONAL = ['createTenant', 'deleteTenant', 'createUser', 'updateUser', 'deleteUser', 'createApiKey', 'deleteSessions']
const PUBLIC = ['login', 'createSession']

describe('on every route', () => {
  let reading: { token: string }
  let writing: { token: string }
  let ids: Record<string, number>

  beforeAll(async () => {
    const { owner } = house
    const blog = await newBlog(owner)
    const post = await newPost(owner, blog.id)
    const comment = await newComment(owner, post.id)
    reading = await newKey({}, owner)
    const key = await newKey({ scope: 'write' }, owner)
    writing = key
    ids = {
      tenant_id: house.tenant_id,
      user_id: owner.id,
      blog_id: blog.id,
      post_id: post.id,
      comment_id: comment.id,
      key_id: key.id,
    }
  })

  const ROUTES = routes().filter(({ name }) => !PUBLIC.includes(name))
  const titled = ROUTES.map(({ method, path, name, params }) => [`${method} ${path}`, { method, name, params }] as const)

  const BODIES: Record<string, object> = {
    updateTenant: { name: 'New' },
    createBlog: { title: 'New' },
    updateBlog: { title: 'New' },
    createPost: { title: 'New', body: 'New' },
    updatePost: { title: 'New' },
    createComment: { body: 'New' },
    createQuote: { plan: 'team' },
  }
  const request = (name: string, params: string[]): CallRequest => ({
    params: Object.fromEntries(params.map((param) => [param, ids[param] ?? 0])),
    body: BODIES[name],
  })

  test.each(titled)('%s refuses or takes a key that reads', async (_route, { method, name, params }) => {
    const answer = await ask(name, { ...request(name, params), as: reading })
    if (PERSONAL.includes(name)) expect(answer).toEqual(requireLogin)
    // Only an admin lists tenants.
    else if (method !== 'GET' || name === 'listTenants') expect(answer).toEqual(forbidden)
    else expect(answer).toMatchObject({ status: 200 })
  })

  const DELETES = ['deleteComment', 'deletePost', 'deleteBlog', 'deleteApiKey']
  const notDeleting = titled.filter(([, { name }]) => !DELETES.includes(name))

  test.each(notDeleting)('%s refuses or takes a key that writes', async (_route, { method, name, params }) => {
    const answer = await ask(name, { ...request(name, params), as: writing })
    if (PERSONAL.includes(name)) expect(answer).toEqual(requireLogin)
    else if (name === 'listTenants') expect(answer).toEqual(forbidden)
    else expect(answer).toMatchObject({ status: method === 'POST' ? 201 : 200 })
  })

  test('what needs a person says so as the 401 that it is', async () => {
    const { headers } = await call('deleteSessions', { as: writing })
    expect(headers).toMatchObject({ 'www-authenticate': 'Bearer', 'cache-control': 'no-store' })
    expect(await profile(house.owner)).toBe(200)
  })

  test('deletes are a key’s that writes, from the comment to the blog', async () => {
    for (const name of DELETES.slice(0, 3)) {
      const { params = [] } = ROUTES.find((route) => route.name === name) ?? {}
      expect(await ask(name, { ...request(name, params), as: writing }), name).toEqual(gone)
    }
  })
})
