import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, ask, conflict, forbidden, gone, notFound } from '#tests/support/answers.ts'
import { type CallRequest, type CallResponse, call } from '#tests/support/call.ts'
import { allItems } from '#tests/support/table.ts'
import {
  type House,
  newAdmin,
  newBlog,
  newComment,
  newPost,
  newTenant,
  newUser,
  PASSWORD,
  type Person,
} from '#tests/support/world.ts'

const stale: Answer = { status: 412, body: { success: false, error: 'Precondition failed' } }
const manyTags = (from: number): string => Array.from({ length: 2_000 }, (_, n) => `"${n + from}"`).join(',')

const unchanged = { status: 304, body: undefined }

let admin: Person
let house: House
let blog: { id: number }

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
  blog = await newBlog(house.author)
})

const ifMatch = (tags: string) => ({ headers: { 'if-match': tags } })
const ifNoneMatch = (tags: string) => ({ headers: { 'if-none-match': tags } })

/** A record that can be read and changed: by whom, where, and a change that nothing else makes. */
type Kind = { noun: string; make: () => Promise<CallRequest>; change: (n: number) => object }

const pathOf = ({ tenant_id, id }: Person) => ({ tenant_id, user_id: id })

const inHouse = async (make: () => Promise<{ id: number }>, param: string, rest: () => Record<string, number>) => ({
  as: house.owner,
  params: { ...rest(), [param]: (await make()).id },
})

const KINDS: Kind[] = [
  {
    noun: 'Tenant',
    make: async () => ({ as: admin, params: { tenant_id: (await newTenantOnly()).id } }),
    change: (n) => ({ name: `Name ${n}` }),
  },
  {
    noun: 'User',
    make: async () => ({ as: house.owner, params: pathOf(await newUser(admin, house.tenant_id, 'author')) }),
    change: (n) => ({ name: `Name ${n}` }),
  },
  {
    noun: 'Blog',
    make: () =>
      inHouse(
        () => newBlog(house.author),
        'blog_id',
        () => pathOf(house.author),
      ),
    change: (n) => ({ title: `Title ${n}` }),
  },
  {
    noun: 'Post',
    make: () =>
      inHouse(
        () => newPost(house.author, blog.id),
        'post_id',
        () => ({ blog_id: blog.id }),
      ),
    change: (n) => ({ title: `Title ${n}` }),
  },
]

const newTenantOnly = async () => (await call('createTenant', { as: admin, body: { name: 'A tenant' } })).body.tenant

/** What an answer shows, with or without an envelope. */
const recordOf = ({ body }: CallResponse) => body.tenant ?? body.user ?? body.blog ?? body

describe.each(KINDS)('a single $noun', ({ noun, make, change }) => {
  const [show, update, remove] = [`show${noun}`, `update${noun}`, `delete${noun}`]

  test('carries its version as a strong tag, which each change raises by one', async () => {
    const request = await make()
    for (let version = 1; version <= 3; version++) {
      const shown = await call(show, request)
      expect(recordOf(shown)).toMatchObject({ version })
      expect(shown.headers.etag).toBe(`"${version}"`)
      const changed = await call(update, { ...request, body: change(version) })
      expect(recordOf(changed)).toMatchObject({ ...change(version), version: version + 1 })
      expect(changed.headers.etag).toBe(`"${version + 1}"`)
    }
  })

  test.each([
    ['its tag', '"1"'],
    ['its tag without the strength', 'W/"1"'],
    ['any', '*'],
    ['any, with space', ' * '],
    ['one of many', '"7", "1", "8"'],
    ['one of many, without spaces', '"7","1"'],
    ['one of many that are weak', 'W/"7", W/"1"'],
    ['one beside a tag with a comma', '"a,b", "1"'],
  ])('is not sent to a client that knows it: %s', async (_how, tags) => {
    const request = await make()
    const { status, body, headers } = await call(show, { ...request, ...ifNoneMatch(tags) })
    expect({ status, body }).toEqual(unchanged)
    expect(headers).toMatchObject({ etag: '"1"', 'cache-control': 'private, no-cache', vary: 'Authorization' })
    expect(headers).not.toHaveProperty('content-type')
  })

  test.each([
    ['another version', '"2"'],
    ['no tag at all', ''],
    ['the version without quotes', '1'],
    ['an open quote', '"1'],
    ['single quotes', "'1'"],
    ['a longer tag', '"11"'],
    ['two tags in one', '"1 "'],
    ['a star in quotes', '"*"'],
    ['others', '"2", W/"3"'],
  ])('is sent to a client that knows something else: %s', async (_what, tags) => {
    const request = await make()
    const shown = await call(show, { ...request, ...ifNoneMatch(tags) })
    expect([shown.status, recordOf(shown).version, shown.headers.etag]).toEqual([200, 1, '"1"'])
  })

  test('is sent again when it has changed', async () => {
    const request = await make()
    expect(await ask(show, { ...request, ...ifNoneMatch('"1"') })).toEqual(unchanged)
    await call(update, { ...request, body: change(1) })
    expect(await ask(show, { ...request, ...ifNoneMatch('"1"') })).toMatchObject({ status: 200 })
    expect(await ask(show, { ...request, ...ifNoneMatch('"2"') })).toEqual(unchanged)
  })

  test('changes for who knows its version', async () => {
    const request = await make()
    for (const [version, tags] of [
      [1, '"1"'],
      [2, '*'],
      [3, '"1", "3"'],
      [4, '"4","9007199254740991"'],
      [5, ' * '],
      [6, `"6", ${manyTags(1000)}`],
      [7, '"7",'.repeat(2_000)],
    ] as const) {
      const changed = await call(update, { ...request, ...ifMatch(tags), body: change(version) })
      expect([changed.status, recordOf(changed).version], tags).toEqual([200, version + 1])
    }
  })

  const REFUSED = [
    '"1"',
    '"3"',
    'W/"2"',
    'W/"2", W/"*"',
    '',
    ' ',
    '2',
    '"2',
    "'2'",
    '"02"',
    '"2.0"',
    '"+2"',
    '" 2"',
    '"-2"',
    '"2e0"',
    '"two"',
    '"*"',
    '**',
    '""',
    '"0"',
    '"9007199254740993"',
    '"9999999999999999"',
    '"99999999999999999999"',
    `"${'2'.repeat(5000)}"`,
    manyTags(1000),
  ]

  test('stays as it is for who knows another, or what is no tag of ours', async () => {
    const request = await make()
    await call(update, { ...request, body: change(0) })
    const before = await call(show, request)
    for (const tags of REFUSED) {
      const named = tags.slice(0, 40)
      expect(await ask(update, { ...request, ...ifMatch(tags), body: change(1) }), `PATCH ${named}`).toEqual(stale)
      expect(await ask(remove, { ...request, ...ifMatch(tags) }), `DELETE ${named}`).toEqual(stale)
    }
    expect((await call(show, request)).body).toEqual(before.body)
  })

  test('is deleted by who knows its version', async () => {
    for (const tags of ['"1"', '*', '"7", "1"']) {
      const request = await make()
      expect(await ask(remove, { ...request, ...ifMatch(tags) }), tags).toEqual(gone)
      expect(await ask(show, request)).toEqual(notFound)
      expect(await ask(remove, { ...request, ...ifMatch(tags) })).toEqual(notFound)
      expect(await ask(update, { ...request, ...ifMatch(tags), body: change(1) })).toEqual(notFound)
    }
  })

  test('takes one of 20 changes that are made of one version at once', async () => {
    const request = await make()
    const attempts = Array.from({ length: 20 }, (_, n) => ask(update, { ...request, ...ifMatch('"1"'), body: change(n) }))
    const answers = await Promise.all(attempts)
    const won = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []))
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(19).fill(stale))
    expect(recordOf(await call(show, request))).toMatchObject({ ...change(won[0] as number), version: 2 })
  })

  test('takes all of 10 changes without a version, and counts each', async () => {
    const request = await make()
    const attempts = Array.from({ length: 10 }, (_, n) => call(update, { ...request, body: change(n) }))
    const versions = (await Promise.all(attempts)).map((answer) => recordOf(answer).version)
    expect(versions.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  test('is either changed or deleted, when both are asked of one version', async () => {
    for (let round = 0; round < 3; round++) {
      const request = await make()
      const [changed, deleted] = await Promise.all([
        ask(update, { ...request, ...ifMatch('"1"'), body: change(1) }),
        ask(remove, { ...request, ...ifMatch('"1"') }),
      ])
      const statuses = [changed.status, deleted.status]
      expect([
        [200, 412],
        [404, 204],
      ]).toContainEqual(statuses)
      expect((await ask(show, request)).status).toBe(changed.status)
    }
  })

  test('says 404 before it says 412', async () => {
    const request = await make()
    const foreign = { ...request, as: (await newTenant(admin)).owner }
    expect(await ask(update, { ...foreign, ...ifMatch('"7"'), body: change(1) })).toEqual(notFound)
    expect(await ask(remove, { ...foreign, ...ifMatch('"7"') })).toEqual(notFound)
  })

  test('says 400 and 422 before it says 412', async () => {
    const request = await make()
    expect(await ask(update, { ...request, ...ifMatch('"7"'), body: {} })).toMatchObject({ status: 400 })
    const [field = ''] = Object.keys(change(1))
    expect(await ask(update, { ...request, ...ifMatch('"7"'), body: { [field]: 7 } })).toMatchObject({ status: 422 })
  })
})

describe('a create', () => {
  test.each<[string, string, () => CallRequest]>([
    ['a tenant', 'createTenant', () => ({ as: admin, body: { name: 'New' } })],
    [
      'a user',
      'createUser',
      () => ({
        as: house.owner,
        params: { tenant_id: house.tenant_id },
        body: { email: 'new@example.org', password: PASSWORD },
      }),
    ],
    ['a blog', 'createBlog', () => ({ as: house.author, params: pathOf(house.author), body: { title: 'New' } })],
    ['a post', 'createPost', () => ({ as: house.author, params: { blog_id: blog.id }, body: { title: 'New', body: 'New' } })],
  ])('of %s answers with the tag of its first version', async (_what, name, request) => {
    const made = await call(name, request())
    expect([made.status, made.headers.etag]).toEqual([201, '"1"'])
    const params = { ...request().params, ...idOf(name, recordOf(made).id) }
    const shown = await call(name.replace('create', 'show'), { as: request().as, params })
    expect([shown.status, shown.headers.etag]).toEqual([200, '"1"'])
  })

  test('of a comment does as well', async () => {
    const post = await newPost(house.author, blog.id)
    const made = await call('createComment', { as: house.reader, params: { post_id: post.id }, body: { body: 'Well said' } })
    expect([made.status, made.headers.etag, made.body.comment.version]).toEqual([201, '"1"', 1])
  })

  test('does not look at a precondition', async () => {
    const request = { as: house.author, params: { blog_id: blog.id }, body: { title: 'New', body: 'New' } }
    expect(await call('createPost', { ...request, ...ifMatch('"7"') })).toMatchObject({ status: 201 })
    expect(await call('createPost', { ...request, ...ifNoneMatch('*') })).toMatchObject({ status: 201 })
  })
})

const idOf = (name: string, id: number) => ({ [`${name.replace('create', '').toLowerCase()}_id`]: id })

describe('what is no single record', () => {
  test.each<[string, () => CallRequest]>([
    ['listTenants', () => ({ as: admin })],
    ['listUsers', () => ({ as: house.owner, params: { tenant_id: house.tenant_id } })],
    ['listBlogs', () => ({ as: house.owner, params: pathOf(house.author) })],
    ['listPosts', () => ({ as: house.owner, params: { blog_id: blog.id } })],
    ['listApiKeys', () => ({ as: house.owner })],
  ])('has no tag, and is always sent: %s', async (name, request) => {
    for (const tags of ['*', '"1"']) {
      const listed = await call(name, { ...request(), ...ifNoneMatch(tags) })
      expect([listed.status, listed.headers.etag]).toEqual([200, undefined])
    }
  })

  test('has no tag: a refusal, a deletion, a login', async () => {
    const { email, tenant_id } = house.other
    const answers = [
      await call('showBlog', { as: house.owner, params: { ...pathOf(house.author), blog_id: 1 }, ...ifNoneMatch('*') }),
      await call('deletePost', {
        as: house.owner,
        params: { blog_id: blog.id, post_id: (await newPost(house.author, blog.id)).id },
      }),
      await call('createSession', { body: { email, tenant_id, password: PASSWORD } }),
    ]
    expect(answers.map(({ status, headers }) => [status, headers.etag])).toEqual([
      [404, undefined],
      [204, undefined],
      [200, undefined],
    ])
  })
})

describe('a user', () => {
  const show = (as: Person, person: Person, headers = {}) => call('showUser', { as, params: pathOf(person), headers })

  test('is another representation for who sees less of it, with another tag', async () => {
    const person = await newUser(admin, house.tenant_id, 'author')
    const [full, less] = [await show(house.owner, person), await show(house.other, person)]
    expect(full.headers.etag).toBe('"1"')
    expect(less.headers.etag).toMatch(/^"[\w-]{22}"$/)
    expect(less.body.user).not.toHaveProperty('version')
    expect(await show(house.other, person, { 'if-none-match': less.headers.etag })).toMatchObject(unchanged)
    expect(await show(house.other, person, { 'if-none-match': '"1"' })).toMatchObject({ status: 200 })
    expect(await show(house.owner, person, { 'if-none-match': less.headers.etag })).toMatchObject({ status: 200 })
  })

  test('keeps the tag of that view while it shows the same, and gets another when it does not', async () => {
    const person = await newUser(admin, house.tenant_id, 'author')
    const tag = async () => (await show(house.other, person)).headers.etag
    const first = await tag()
    const change = (body: object) => call('updateUser', { as: house.owner, params: pathOf(person), body })
    await change({ email: `hidden-${person.id}@example.org` })
    expect(await tag()).toBe(first)
    await change({ name: 'Ada' })
    const second = await tag()
    expect(second).not.toBe(first)
    await change({ role: 'reader' })
    expect([first, second]).not.toContain(await tag())
  })

  test('shows itself in full, in its profile too', async () => {
    const person = await newUser(admin, house.tenant_id, 'reader')
    expect((await show(person, person)).headers.etag).toBe('"1"')
    const profile = await call('showProfile', { as: person })
    expect(profile.headers.etag).toBe('"1"')
    const again = await call('showProfile', { as: person, ...ifNoneMatch('"1"') })
    expect(again).toMatchObject(unchanged)
    await call('updateUser', { as: person, params: pathOf(person), body: { email: `new-${person.id}@example.org` } })
    expect(await call('showProfile', { as: person, ...ifNoneMatch('"1"') })).toMatchObject({
      status: 200,
      body: { email: `new-${person.id}@example.org` },
    })
  })

  const CHANGES: [what: string, (n: number) => object][] = [
    ['role', (n) => ({ role: n % 2 === 0 ? 'reader' : 'owner' })],
    ['email', (n) => ({ email: `parallel-${n}-${Math.random()}@example.org` })],
    ['password', (n) => ({ password: `other horse ${n}` })],
    ['email, role and name', (n) => ({ email: `all-${n}-${Math.random()}@example.org`, role: 'reader', name: `Name ${n}` })],
  ]

  test.each(CHANGES)('takes one of 20 changes of its %s that are made of one version at once', async (_what, change) => {
    const person = await newUser(admin, house.tenant_id, 'author')
    const request = { as: house.owner, params: pathOf(person) }
    const bodies = Array.from({ length: 20 }, (_, n) => change(n))
    const answers = await Promise.all(bodies.map((body) => ask('updateUser', { ...request, ...ifMatch('"1"'), body })))
    const won = bodies.filter((_, n) => answers[n]?.status === 200)
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array(19).fill(stale))
    const { password: _, ...shown } = won[0] as Record<string, unknown>
    expect((await call('showUser', request)).body.user).toMatchObject({ ...shown, version: 2 })
  })

  test.each(CHANGES)('counts each of 3 changes of its %s', async (_what, change) => {
    const person = await newUser(admin, house.tenant_id, 'author')
    for (const version of [2, 3, 4]) {
      const request = { as: house.owner, params: pathOf(person), ...ifMatch(`"${version - 1}"`), body: change(version) }
      const changed = await call('updateUser', request)
      expect([changed.status, changed.headers.etag, changed.body.user.version]).toEqual([200, `"${version}"`, version])
    }
  })

  test.each(CHANGES)('is left as it is by a change of its %s that is refused', async (_what, change) => {
    const person = await newUser(admin, house.tenant_id, 'author')
    const before = await identityOf(person)
    const request = { as: house.owner, params: pathOf(person), ...ifMatch('"2"'), body: change(1) }
    expect(await ask('updateUser', request)).toEqual(stale)
    expect(await identityOf(person)).toEqual(before)
    expect(await ask('showProfile', { as: person })).toMatchObject({ status: 200, body: { email: person.email, role: 'author' } })
  })

  test('is not logged out by its own login: that is no change of the record', async () => {
    const person = await newUser(admin, house.tenant_id, 'author')
    await call('login', { body: { email: person.email, password: PASSWORD, tenant_id: person.tenant_id } })
    expect((await show(house.owner, person)).headers.etag).toBe('"1"')
  })

  test('says 412 before it says 409', async () => {
    const person = await newUser(admin, house.tenant_id, 'author')
    const request = { as: house.owner, params: pathOf(person), body: { email: house.author.email } }
    expect(await ask('updateUser', { ...request, ...ifMatch('"7"') })).toEqual(stale)
    expect(await ask('updateUser', { ...request, ...ifMatch('"1"') })).toEqual(conflict)
  })

  test('says 403 before it says 412, also where an admin stands in the way', async () => {
    const [one, two] = [await newUser(admin, 1, 'owner'), await newUser(admin, 1, 'author')]
    const stranger = { as: house.other, params: pathOf(house.author), ...ifMatch('"7"') }
    expect(await ask('updateUser', { ...stranger, body: { name: 'New' } })).toEqual(forbidden)
    expect(await ask('deleteUser', stranger)).toEqual(forbidden)
    const onAdmin = { as: one, params: pathOf(admin), ...ifMatch('"7"') }
    expect(await ask('updateUser', { ...onAdmin, body: { name: 'New' } })).toEqual(forbidden)
    expect(await ask('updateUser', { ...onAdmin, body: { role: 'reader' } })).toEqual(forbidden)
    expect(await ask('deleteUser', onAdmin)).toEqual(forbidden)
    expect(await ask('deleteUser', { as: one, params: pathOf(two), ...ifMatch('"7"') })).toEqual(stale)
  })
})

/** All that the table keeps of a user. */
const identityOf = async ({ id, email }: Person) =>
  (await allItems()).filter((item) => item.user_id === id || item.id === id || item.email === email)

describe('a post', () => {
  test('says 404, then 403, then 412', async () => {
    const post = await newPost(house.author, blog.id)
    const other = await newBlog(house.author)
    const request = { params: { blog_id: blog.id, post_id: post.id }, ...ifMatch('"7"'), body: { title: 'New' } }
    const misplaced = { ...request, params: { blog_id: other.id, post_id: post.id } }
    for (const name of ['updatePost', 'deletePost']) {
      expect(await ask(name, { ...misplaced, as: house.author })).toEqual(notFound)
      expect(await ask(name, { ...misplaced, as: house.other })).toEqual(notFound)
      expect(await ask(name, { ...request, as: house.other })).toEqual(forbidden)
      expect(await ask(name, { ...request, as: house.author })).toEqual(stale)
    }
  })

  test('is deleted with its comments or not at all', async () => {
    const post = await newPost(house.author, blog.id)
    const comment = await newComment(house.reader, post.id)
    const request = { as: house.author, params: { blog_id: blog.id, post_id: post.id }, ...ifMatch('"2"') }
    expect(await ask('deletePost', request)).toEqual(stale)
    const listed = await call('listComments', { as: house.reader, params: { post_id: post.id } })
    expect(listed.body.comments).toEqual([comment])
    expect(await call('createComment', { as: house.reader, params: { post_id: post.id }, body: { body: 'More' } })).toMatchObject(
      {
        status: 201,
      },
    )
  })
})

describe.each([
  ['by its short path', (post_id: number) => ({ post_id })],
  ['by its long path', (post_id: number) => ({ blog_id: blog.id, post_id })],
])('a comment %s', (_how, path) => {
  const make = async (by: Person) => {
    const post = await newPost(house.author, blog.id)
    const comment = await newComment(by, post.id)
    return { params: { ...path(post.id), comment_id: comment.id } }
  }

  test.each([
    ['who wrote it', () => house.reader],
    ['whose blog it is on', () => house.author],
    ['an owner', () => house.owner],
  ])('is deleted on its version alone, by %s', async (_who, by) => {
    const request = { ...(await make(house.reader)), as: by() }
    for (const tags of ['"2"', 'W/"1"', '"0"', '', 'x', '"9999999999999999"']) {
      expect(await ask('deleteComment', { ...request, ...ifMatch(tags) }), tags).toEqual(stale)
    }
    expect(await ask('deleteComment', { ...request, ...ifMatch('"2", "1"') })).toEqual(gone)
    expect(await ask('deleteComment', { ...request, ...ifMatch('"1"') })).toEqual(notFound)
  })

  test('goes with *', async () => {
    expect(await ask('deleteComment', { ...(await make(house.reader)), as: house.reader, ...ifMatch('*') })).toEqual(gone)
  })

  test('says 404, then 403, then 412', async () => {
    const request = await make(house.reader)
    const missing = { params: { ...request.params, comment_id: 1 } }
    expect(await ask('deleteComment', { ...missing, as: house.other, ...ifMatch('"7"') })).toEqual(notFound)
    expect(await ask('deleteComment', { ...request, as: house.other, ...ifMatch('"7"') })).toEqual(forbidden)
    expect(await ask('deleteComment', { ...request, as: house.reader, ...ifMatch('"7"') })).toEqual(stale)
  })
})
