import { randomUUID } from 'node:crypto'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, conflict, forbidden, gone, invalid, notFound, unauthorized } from '#tests/support/answers.ts'
import { type CallRequest, type CallResponse, call } from '#tests/support/call.ts'
import { openStream } from '#tests/support/stream.ts'
import { allItems, itemsOf, type StoredItem, tableClient } from '#tests/support/table.ts'
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

const DAY_SECONDS = 86_400
const OTHER_REQUEST = {
  status: 422,
  body: { success: false, error: 'Idempotency key was used with another request', details: null },
}
const INVALID_KEY = invalid(['idempotency_key', 'invalid', 'Idempotency key is invalid'])

let admin: Person
let house: House
let blog: { id: number }
let post: { id: number }

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
  blog = await newBlog(house.author)
  post = await newPost(house.author, blog.id)
})

let key: string

beforeEach(() => {
  key = randomUUID()
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.resetModules()
})

const under = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey })

/** Every create: who may, where, what, and something else. */
const CREATES: [what: string, name: string, () => CallRequest, other: object][] = [
  ['a tenant', 'createTenant', () => ({ as: admin, body: { name: `Tenant ${key}` } }), { name: 'Other' }],
  [
    'a user',
    'createUser',
    () => ({
      as: house.owner,
      params: { tenant_id: house.tenant_id },
      body: { email: `${key}@example.org`, password: PASSWORD, name: 'Ada', role: 'reader' },
    }),
    { password: 'other horse' },
  ],
  [
    'a blog',
    'createBlog',
    () => ({
      as: house.author,
      params: { tenant_id: house.tenant_id, user_id: house.author.id },
      body: { title: `Blog ${key}`, description: 'Mine' },
    }),
    { description: 'Yours' },
  ],
  [
    'a post',
    'createPost',
    () => ({ as: house.author, params: { blog_id: blog.id }, body: { title: `Post ${key}`, body: 'Words' } }),
    { body: 'Other words' },
  ],
  [
    'a post in another user’s blog',
    'createPost',
    () => ({ as: house.owner, params: { blog_id: blog.id }, body: { title: `Post ${key}`, body: 'Words' } }),
    { title: 'Other' },
  ],
  [
    'an imported post',
    'createPost',
    () => ({
      as: house.author,
      params: { blog_id: blog.id },
      body: { title: `Post ${key}`, body: 'Words', created_at: '2004-02-29T12:00:00.000Z' },
    }),
    { created_at: '2004-02-29T12:00:00.001Z' },
  ],
  [
    'a comment',
    'createComment',
    () => ({ as: house.reader, params: { post_id: post.id }, body: { body: `Comment ${key}` } }),
    { body: 'Other' },
  ],
  [
    'a comment by its long path',
    'createComment',
    () => ({ as: house.reader, params: { blog_id: blog.id, post_id: post.id }, body: { body: `Comment ${key}` } }),
    { body: 'Other' },
  ],
]

const RECORDS = ['tenant', 'user', 'blog', 'post', 'comment']

/** The records that carry this test's key in a field. */
const records = async (): Promise<StoredItem[]> =>
  (await allItems()).filter((item) => {
    const texts = [item.name, item.email, item.title, item.body]
    return RECORDS.includes(String(item.type)) && texts.some((text) => String(text).includes(key))
  })

const send = (name: string, request: CallRequest, change: CallRequest = {}): Promise<CallResponse> =>
  call(name, { ...request, headers: under(key), ...change })

const answerOf = ({ status, body, headers }: CallResponse) => ({
  status,
  body,
  location: headers.location,
  etag: headers.etag,
  replayed: headers['idempotency-replayed'],
})

describe.each(CREATES)('%s that is sent again under its key', (_what, name, request, other) => {
  test('is made once, and its answer is given again', async () => {
    const first = answerOf(await send(name, request()))
    expect(first).toMatchObject({ status: 201, location: expect.stringMatching(/^\/api\/v1\//), replayed: undefined })
    for (let again = 0; again < 2; again++) {
      expect(answerOf(await send(name, request()))).toEqual({ ...first, replayed: 'true' })
    }
    expect(await records()).toHaveLength(1)
  })

  test('may have its keys in another order, and more of them', async () => {
    const first = answerOf(await send(name, request()))
    const entries = Object.entries(request().body as object).reverse()
    const body = Object.fromEntries([['ignored', true], ...entries])
    expect(answerOf(await send(name, request(), { body }))).toEqual({ ...first, replayed: 'true' })
  })

  test('is refused with another body, and makes nothing', async () => {
    const first = answerOf(await send(name, request()))
    const body = { ...(request().body as object), ...other }
    expect(await send(name, request(), { body })).toMatchObject(OTHER_REQUEST)
    expect(await records()).toHaveLength(1)
    expect(answerOf(await send(name, request()))).toEqual({ ...first, replayed: 'true' })
  })

  test('makes one record and gives 20 equal answers when 20 arrive at once', async () => {
    const answers = (await Promise.all(Array.from({ length: 20 }, () => send(name, request())))).map(answerOf)
    const [first] = answers
    expect(first?.status).toBe(201)
    for (const answer of answers) expect({ ...answer, replayed: '' }).toEqual({ ...first, replayed: '' })
    expect(answers.filter(({ replayed }) => replayed === 'true')).toHaveLength(19)
    expect(await records()).toHaveLength(1)
  })

  test('is another request without a key: a second record, or a user’s conflict', async () => {
    const [one, two] = [await send(name, request(), { headers: {} }), await send(name, request(), { headers: {} })]
    const isUser = name === 'createUser'
    expect([one.status, two.status, two.headers['idempotency-replayed']]).toEqual([201, isUser ? 409 : 201, undefined])
    expect(await records()).toHaveLength(isUser ? 1 : 2)
  })
})

const newPostRequest = (): CallRequest => ({
  as: house.author,
  params: { blog_id: blog.id },
  body: { title: `Post ${key}`, body: 'Words' },
})

describe('an idempotency key', () => {
  test('stands 50 requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('createPost', newPostRequest())))
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(49)
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(await records()).toHaveLength(1)
  })

  test('belongs to a path as well: the same body elsewhere is another request', async () => {
    const second = await newBlog(house.author)
    await send('createPost', newPostRequest())
    expect(await send('createPost', newPostRequest(), { params: { blog_id: second.id } })).toMatchObject(OTHER_REQUEST)
    expect(await records()).toHaveLength(1)
  })

  test('does not take the two paths of one post’s comments for one request', async () => {
    const request = { as: house.reader, body: { body: `Comment ${key}` } }
    await send('createComment', { ...request, params: { post_id: post.id } })
    const params = { blog_id: blog.id, post_id: post.id }
    expect(await send('createComment', { ...request, params })).toMatchObject(OTHER_REQUEST)
    expect(await records()).toHaveLength(1)
  })

  test('is a user’s own: another user’s request under it is another record', async () => {
    const answers = [
      await send('createPost', newPostRequest()),
      await send('createPost', { ...newPostRequest(), as: house.owner }),
      await send('createPost', { ...newPostRequest(), as: house.owner }),
    ]
    expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
      [201, undefined],
      [201, undefined],
      [201, 'true'],
    ])
    expect((await records()).map(({ user_id }) => user_id).sort()).toEqual([house.author.id, house.owner.id].sort())
  })

  test.each([
    ['!'],
    ['~'],
    ['"quoted"'],
    ['a'.repeat(64)],
    ['#'],
    ['BLOG#0000000000000001'],
    ['8e03978e-40d5-43e8-bc93-6894a57f9324'],
  ])('may be %s', async (given) => {
    // A user of its own, whose first use of the key it is.
    const user = await newUser(admin, house.tenant_id, 'reader')
    const request = { as: user, params: { post_id: post.id }, body: { body: `Comment ${key}` }, headers: under(given) }
    const answers = [await call('createComment', request), await call('createComment', request)]
    expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
      [201, undefined],
      [201, 'true'],
    ])
    expect(await records()).toHaveLength(1)
  })

  test.each([
    ['nothing', ''],
    ['65 characters', 'a'.repeat(65)],
    ['a space', ' '],
    ['a space inside', 'a b'],
    ['a space before', ' a'],
    ['a tab', 'a\tb'],
    ['a line’s end', 'a\n'],
    ['a NUL', 'a\0'],
    ['DEL', 'a\x7f'],
    ['a letter that is not ASCII', 'é'],
    ['an emoji', '🔑'],
  ])('is refused when it is %s, and nothing is made', async (_what, given) => {
    expect(await ask('createPost', { ...newPostRequest(), headers: under(given) })).toEqual(INVALID_KEY)
    expect(await records()).toEqual([])
  })

  test('is found in a header of any case', async () => {
    const first = await call('createPost', { ...newPostRequest(), headers: { 'Idempotency-Key': key } })
    const second = await call('createPost', { ...newPostRequest(), headers: { 'IDEMPOTENCY-KEY': key } })
    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotency-replayed']).toBe('true')
  })

  test('counts after the body: a bad one is a 400 or a 422 of its own', async () => {
    const request = { ...newPostRequest(), headers: under('a b') }
    expect(await call('createPost', { ...request, body: {} })).toMatchObject({ status: 400 })
    expect(await ask('createPost', { ...request, body: { title: ' ', body: 'Words' } })).toEqual(
      invalid(['title', 'blank', "Title can't be blank"]),
    )
  })

  test('gives the record as it was made, whatever became of it', async () => {
    const first = answerOf(await send('createPost', newPostRequest()))
    const params = { blog_id: blog.id, post_id: first.body.id }
    await call('updatePost', { as: house.author, params, body: { title: `Changed ${key}` } })
    expect(answerOf(await send('createPost', newPostRequest()))).toEqual({ ...first, replayed: 'true' })
    await call('deletePost', { as: house.author, params })
    expect(answerOf(await send('createPost', newPostRequest()))).toEqual({ ...first, replayed: 'true' })
    expect(await records()).toEqual([])
  })
})

describe('who may not make a record', () => {
  test('gets no answer again: not as a reader by now', async () => {
    const user = await newUser(admin, house.tenant_id, 'author')
    const { id } = await newBlog(user)
    const request = { ...newPostRequest(), as: user, params: { blog_id: id } }
    expect(await send('createPost', request)).toMatchObject({ status: 201 })
    const change = { as: house.owner, params: { tenant_id: house.tenant_id, user_id: user.id } }
    await call('updateUser', { ...change, body: { role: 'reader' } })
    expect(await ask('createPost', { ...request, headers: under(key) })).toEqual(forbidden)
    await call('updateUser', { ...change, body: { role: 'author' } })
    expect((await send('createPost', request)).headers['idempotency-replayed']).toBe('true')
  })

  test('gets no answer again: not with a token that has ended, nor without one', async () => {
    const user = await newUser(admin, house.tenant_id, 'reader')
    const request = { as: user, params: { post_id: post.id }, body: { body: `Comment ${key}` }, headers: under(key) }
    expect(await ask('createComment', request)).toMatchObject({ status: 201 })
    expect(await ask('deleteSessions', { as: user })).toEqual(gone)
    expect(await ask('createComment', request)).toEqual(unauthorized)
    expect(await ask('createComment', { ...request, as: undefined })).toEqual(unauthorized)
  })

  test('gets no answer of another tenant’s', async () => {
    const { owner } = await newTenant(admin)
    expect(await send('createPost', newPostRequest())).toMatchObject({ status: 201 })
    expect(await ask('createPost', { ...newPostRequest(), as: owner, headers: under(key) })).toEqual(notFound)
  })
})

describe('a refused create is not remembered', () => {
  test('a 404: the same key then makes the right one', async () => {
    const request = newPostRequest()
    expect(await ask('createPost', { ...request, params: { blog_id: 1 }, headers: under(key) })).toEqual(notFound)
    const made = await send('createPost', request)
    expect([made.status, made.headers['idempotency-replayed']]).toEqual([201, undefined])
  })

  test('a 409', async () => {
    const params = { tenant_id: house.tenant_id }
    const request = { as: house.owner, params, body: { email: house.author.email, password: PASSWORD }, headers: under(key) }
    expect(await ask('createUser', request)).toEqual(conflict)
    expect(await ask('createUser', request)).toEqual(conflict)
    const made = await call('createUser', { ...request, body: { ...request.body, email: `${key}@example.org` } })
    expect([made.status, made.headers['idempotency-replayed']]).toEqual([201, undefined])
  })

  test('a 403', async () => {
    const theirs = await newBlog(house.other)
    const request = { ...newPostRequest(), headers: under(key) }
    expect(await ask('createPost', { ...request, params: { blog_id: theirs.id } })).toEqual(forbidden)
    expect(await ask('createPost', request)).toMatchObject({ status: 201 })
  })

  test('a 422 and a 400', async () => {
    const request = { ...newPostRequest(), headers: under(key) }
    expect(await ask('createPost', { ...request, body: { title: '', body: 'Words' } })).toMatchObject({ status: 422 })
    expect(await ask('createPost', { ...request, body: {} })).toMatchObject({ status: 400 })
    expect(await ask('createPost', request)).toMatchObject({ status: 201 })
    expect(await records()).toHaveLength(1)
  })
})

/** What the table keeps of this test's key. */
async function kept(): Promise<StoredItem> {
  const found = (await allItems()).filter(({ sk }) => sk === `IDEM#${key}`)
  expect(found).toHaveLength(1)
  return found[0] as StoredItem
}

async function setEnd({ pk, sk }: StoredItem, expires_at: number): Promise<void> {
  const UpdateExpression = 'SET expires_at = :end'
  const TableName = process.env.TABLE_NAME
  const ExpressionAttributeValues = { ':end': expires_at }
  await tableClient().send(new UpdateCommand({ TableName, Key: { pk, sk }, UpdateExpression, ExpressionAttributeValues }))
}

describe('what is kept of a key', () => {
  test('is an id, a time and a fingerprint for a day: no body, no password', async () => {
    const before = Math.floor(Date.now() / 1000)
    const params = { tenant_id: house.tenant_id }
    const body = { email: `${key}@example.org`, password: `secret ${key}`, name: `Name of ${key}` }
    const made = await send('createUser', { as: house.owner, params, body })
    const { expires_at, ...item } = await kept()
    const { id, created_at } = made.body.user
    expect(item).toEqual({
      pk: `TENANT#${house.tenant_id}#USER#${house.owner.id}`,
      sk: `IDEM#${key}`,
      type: 'idempotency',
      id,
      at: Date.parse(created_at),
      fingerprint: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(expires_at).toBeGreaterThanOrEqual(before + DAY_SECONDS)
    expect(expires_at).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + DAY_SECONDS)
    expect(JSON.stringify(await allItems())).not.toContain(`secret ${key}`)
  })

  test('counts until its last second, and not beyond, though the table has it still', async () => {
    const now = 1_900_000_000
    const first = await send('createPost', newPostRequest())
    await setEnd(await kept(), now + 1)
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
    // A JWT would have expired meanwhile, and so would the token.
    const later = { ...newPostRequest(), as: await loggedInAgain(house.author) }
    expect((await send('createPost', later)).body).toEqual(first.body)
    vi.setSystemTime((now + 1) * 1000)
    const second = await send('createPost', later)
    expect(second).toMatchObject({ status: 201 })
    expect(second.headers['idempotency-replayed']).toBeUndefined()
    expect(second.body.id).not.toBe(first.body.id)
    expect(await kept()).toMatchObject({ id: second.body.id, expires_at: now + 1 + DAY_SECONDS })
    expect(await records()).toHaveLength(2)
    vi.useRealTimers()
    house.author.token = (await loggedInAgain(house.author)).token
  })

  test('makes room after its end for another request, also for many at once', async () => {
    await send('createPost', newPostRequest())
    await setEnd(await kept(), Math.floor(Date.now() / 1000))
    const other = { ...newPostRequest(), body: { title: `Other ${key}`, body: 'Words' } }
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('createPost', other)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1)
    expect(await records()).toHaveLength(2)
  })

  test('outlives a change of the secret, as long as the previous one counts', async () => {
    const old = process.env.JWT_SECRET as string
    const first = answerOf(await send('createPost', newPostRequest()))
    const { fingerprint } = await kept()
    rotate('a new secret of at least thirty-two bytes, for tests', old)
    expect(answerOf(await send('createPost', newPostRequest()))).toEqual({ ...first, replayed: 'true' })
    const body = { title: `Other ${key}`, body: 'Words' }
    expect(await send('createPost', newPostRequest(), { body })).toMatchObject(OTHER_REQUEST)
    expect(await kept()).toMatchObject({ fingerprint })
    rotate('a new secret of at least thirty-two bytes, for tests')
    expect(await send('createPost', newPostRequest())).toMatchObject(OTHER_REQUEST)
    expect(await records()).toHaveLength(1)
  })
})

function rotate(secret: string, previous = ''): void {
  vi.stubEnv('JWT_SECRET', secret)
  vi.stubEnv('JWT_SECRET_PREVIOUS', previous)
  vi.resetModules()
}

const loggedInAgain = async ({ email, tenant_id }: Person): Promise<{ token: string }> =>
  (await call('login', { body: { email, password: PASSWORD, tenant_id } })).body

describe('the header is not looked at', () => {
  test.each([
    ['login', 200],
    ['createSession', 200],
  ])('by %s', async (name, status) => {
    const { email, tenant_id } = house.other
    const body = { email, password: PASSWORD, tenant_id }
    for (const headers of [under('not valid'), under(key)]) {
      const answer = await call(name, { body, headers })
      expect(answer).toMatchObject({ status })
      expect(answer.headers['idempotency-replayed']).toBeUndefined()
    }
    expect((await allItems()).filter(({ sk }) => sk.endsWith(key))).toEqual([])
    house.other.token = (await loggedInAgain(house.other)).token
  })

  test('by the create of an API key: each is another secret', async () => {
    const request = { as: house.owner, body: { name: 'A key' }, headers: under(key) }
    const [one, two] = [await call('createApiKey', request), await call('createApiKey', request)]
    expect([one.status, two.status, two.headers['idempotency-replayed']]).toEqual([201, 201, undefined])
    expect(one.body.key.token).not.toBe(two.body.key.token)
    expect(await call('createApiKey', { ...request, headers: under('not valid') })).toMatchObject({ status: 201 })
    expect((await allItems()).filter(({ sk }) => sk === `IDEM#${key}`)).toEqual([])
  })

  test('by a quote', async () => {
    const params = { tenant_id: house.tenant_id }
    const request = { as: house.owner, params, body: { plan: 'team' }, headers: under('not valid') }
    expect(await call('createQuote', request)).toMatchObject({ status: 201 })
  })

  test('by an update or a delete', async () => {
    const { id } = await newPost(house.author, blog.id)
    const request = { as: house.author, params: { blog_id: blog.id, post_id: id }, headers: under('not valid') }
    expect(await call('updatePost', { ...request, body: { title: 'New' } })).toMatchObject({ status: 200 })
    expect(await call('deletePost', request)).toMatchObject({ status: 204 })
  })
})

describe('the keys of a deleted user', () => {
  test('go with it', async () => {
    const drain = await openStream()
    const tenant = await newTenant(admin)
    const theirs = await newBlog(tenant.author)
    const { id } = await newPost(tenant.author, theirs.id)
    for (let n = 0; n < 3; n++)
      await call('createComment', {
        as: tenant.reader,
        params: { post_id: id },
        body: { body: 'Well said' },
        headers: under(`${key}-${n}`),
      })
    const keysOf = async () => (await itemsOf(tenant.tenant_id)).filter(({ sk }) => sk.startsWith(`IDEM#${key}`))
    expect(await keysOf()).toHaveLength(3)
    const params = { tenant_id: tenant.tenant_id, user_id: tenant.reader.id }
    expect(await ask('deleteUser', { as: tenant.owner, params })).toEqual(gone)
    await drain()
    expect(await keysOf()).toEqual([])
    expect(await call('listComments', { as: tenant.owner, params: { post_id: id } })).toMatchObject({
      body: { comments: [{ body: 'Well said' }, { body: 'Well said' }, { body: 'Well said' }] },
    })
  })

  test('go with it even while creates are in flight', async () => {
    const drain = await openStream()
    const tenant = await newTenant(admin)
    const theirs = await newBlog(tenant.author)
    const { id } = await newPost(tenant.author, theirs.id)
    const comments = Array.from({ length: 20 }, (_, n) => ({
      as: tenant.reader,
      params: { post_id: id },
      body: { body: `Comment ${n}` },
      headers: under(`${key}-${n}`),
    }))
    const params = { tenant_id: tenant.tenant_id, user_id: tenant.reader.id }
    const started = comments.slice(0, 10).map((request) => ask('createComment', request))
    const deleted = ask('deleteUser', { as: tenant.owner, params })
    const after = comments.slice(10).map((request) => ask('createComment', request))
    const answers = await Promise.all([...started, ...after])
    expect(await deleted).toEqual(gone)
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toEqual(unauthorized)
    await drain()
    const pk = `TENANT#${tenant.tenant_id}#USER#${tenant.reader.id}`
    expect((await allItems()).filter((item) => item.pk === pk)).toEqual([])
    const left = (await allItems()).filter(({ type, user_id }) => type === 'comment' && user_id === tenant.reader.id)
    expect(left).toHaveLength(answers.filter(({ status }) => status === 201).length)
  })

  test('can’t be made any more once it is going', async () => {
    const tenant = await newTenant(admin)
    const { id } = await newPost(tenant.author, (await newBlog(tenant.author)).id)
    const comment = await newComment(tenant.owner, id)
    expect(comment).toMatchObject({ post_id: id })
    // As a create finds it that was let in before the delete, and arrives after it.
    await tableClient().send(
      new UpdateCommand({
        TableName: process.env.TABLE_NAME,
        Key: { pk: `TENANT#${tenant.tenant_id}#USER#${tenant.reader.id}`, sk: '#' },
        UpdateExpression: 'SET purging = :true',
        ExpressionAttributeValues: { ':true': true },
      }),
    )
    const request = { as: tenant.reader, params: { post_id: id }, body: { body: `Comment ${key}` } }
    expect(await ask('createComment', { ...request, headers: under(key) })).toEqual(unauthorized)
    expect(await records()).toEqual([])
    expect((await allItems()).filter(({ sk }) => sk === `IDEM#${key}`)).toEqual([])
  })
})
