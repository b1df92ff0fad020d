import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, forbidden, gone, unauthorized } from '#tests/support/answers.ts'
import { type CallResponse, call } from '#tests/support/call.ts'
import { startProxy } from '#tests/support/proxy.ts'
import { allItems, tableClient } from '#tests/support/table.ts'
import { type House, newAdmin, newBlog, newPost, newTenant, type Person } from '#tests/support/world.ts'

const BUDGET = 20
// One that neither the making of a tenant nor anything else here but a flood meets.
process.env.TENANT_WRITES_PER_MINUTE = String(BUDGET)

const proxy = await startProxy()

// Each test has minutes of its own, and so has each preparation.
let minute = Date.UTC(2027, 6, 1)
let admin: Person
let house: House
let blog: { id: number }
let post: { id: number }

function nextMinute(seconds = 0): void {
  minute += 60_000
  vi.setSystemTime(minute + seconds * 1000)
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: minute })
  nextMinute()
  admin = await newAdmin()
  nextMinute()
  house = await newTenant(admin)
  blog = await newBlog(house.author)
  post = await newPost(house.author, blog.id)
  nextMinute()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  proxy.state.plan = () => undefined
})

const comment = (as: Person = house.reader, params: Record<string, number> = { post_id: post.id }) =>
  call('createComment', { as, params, body: { body: 'Well said' } })

/** Spends what is left of the minute. */
async function flood(writes = BUDGET): Promise<void> {
  for (let n = 0; n < writes; n++) expect(await comment()).toMatchObject({ status: 201 })
}

const refusedFor = (seconds: number) => ({
  status: 429,
  body: { success: false, error: 'Too many requests' },
  headers: { 'retry-after': String(seconds) },
})

describe('a tenant that has spent its writes of a minute', () => {
  test('waits for the next one, with every write of every user', async () => {
    nextMinute(12)
    await flood()
    expect(await comment()).toMatchObject(refusedFor(48))
    vi.setSystemTime(minute + 59_500)
    expect(await comment(house.owner)).toMatchObject(refusedFor(1))
    const params = { blog_id: blog.id, post_id: post.id }
    expect(await call('updatePost', { as: house.author, params, body: { title: 'New' } })).toMatchObject(refusedFor(1))
    expect(await call('deletePost', { as: house.author, params })).toMatchObject(refusedFor(1))
    nextMinute()
    expect(await comment()).toMatchObject({ status: 201 })
  })

  test('can still throw out who spends them, end a key, and log out', async () => {
    const { body } = await ask('createApiKey', { as: house.author, body: { name: 'Leaked', scope: 'write' } })
    nextMinute()
    await flood()
    expect(await comment(house.owner)).toMatchObject({ status: 429 })
    const params = { tenant_id: house.tenant_id, user_id: house.reader.id }
    expect(await ask('deleteUser', { as: house.owner, params })).toEqual(gone)
    expect(await ask('deleteApiKey', { as: house.author, params: { key_id: body.key.id } })).toEqual(gone)
    expect(await ask('deleteSessions', { as: house.other })).toEqual(gone)
    expect(await ask('showProfile', { as: house.reader })).toEqual(unauthorized)
    expect(await ask('showProfile', { as: house.other })).toEqual(unauthorized)
  })

  test('reads on, and logs in', async () => {
    await flood()
    expect(await comment()).toMatchObject({ status: 429 })
    const reads = await Promise.all([
      ask('listComments', { as: house.reader, params: { post_id: post.id }, query: { limit: 100 } }),
      ask('showPost', { as: house.reader, params: { blog_id: blog.id, post_id: post.id } }),
      ask('showProfile', { as: house.reader }),
      ask('login', { body: { email: house.other.email, password: 'correct horse', tenant_id: house.tenant_id } }),
    ])
    expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(reads[0]?.body.comments).toHaveLength(BUDGET)
  })

  test('starves no other, and not the platform', async () => {
    const neighbour = await newTenant(admin)
    nextMinute()
    await flood()
    expect(await comment()).toMatchObject({ status: 429 })
    const writes: CallResponse[] = []
    for (let n = 0; n < BUDGET - 1; n++) {
      const params = { tenant_id: neighbour.tenant_id, user_id: neighbour.author.id }
      writes.push(await call('createBlog', { as: neighbour.author, params, body: { title: 'Theirs' } }))
    }
    writes.push(await call('createTenant', { as: admin, body: { name: 'Another' } }))
    expect(writes.map(({ status }) => status)).toEqual(Array(BUDGET).fill(201))
    expect(await comment()).toMatchObject({ status: 429 })
  })

  test('is the tenant that is written in, whoever writes', async () => {
    const params = { tenant_id: house.tenant_id, user_id: house.author.id }
    const write = (title: string) => call('createBlog', { as: admin, params, body: { title } })
    for (let n = 0; n < BUDGET; n++) expect(await write('By the admin')).toMatchObject({ status: 201 })
    expect(await write('One more')).toMatchObject({ status: 429 })
    expect(await comment()).toMatchObject({ status: 429 })
    expect(await newBlog(admin)).toMatchObject({ user_id: admin.id })
  })

  test('is told 401 and 403 before the 429, and the 429 before what is wrong with its body', async () => {
    await flood()
    expect(await ask('createComment', { params: { post_id: post.id }, body: {} })).toEqual(unauthorized)
    expect(await ask('createPost', { as: house.reader, params: { blog_id: blog.id }, body: {} })).toEqual(forbidden)
    expect(await call('createPost', { as: house.author, params: { blog_id: blog.id }, body: {} })).toMatchObject({ status: 429 })
    expect(await call('createPost', { as: house.author, params: { blog_id: 1 }, body: '{' })).toMatchObject({ status: 429 })
  })

  test('spends nothing on what is refused before it is tried', async () => {
    for (let n = 0; n < BUDGET + 5; n++) {
      await call('createPost', { as: house.author, params: { blog_id: blog.id }, body: {} })
      await call('createPost', { as: house.reader, params: { blog_id: blog.id }, body: { title: 'A', body: 'B' } })
    }
    expect(await comment()).toMatchObject({ status: 201 })
  })

  test('spends on what is tried in vain: a flood of misses is a flood', async () => {
    for (let n = 0; n < BUDGET; n++) expect(await comment(house.reader, { post_id: 1 })).toMatchObject({ status: 404 })
    expect(await comment()).toMatchObject({ status: 429 })
  })

  test('is refused without a further request to the table than the one for its token', async () => {
    await flood()
    const seen = record()
    expect(await comment()).toMatchObject({ status: 429 })
    expect(seen).toEqual(['GetItem'])
  })
})

/** The operations that reach the table from now on. */
function record(): string[] {
  const seen: string[] = []
  proxy.state.plan = (operation) => void seen.push(operation)
  return seen
}

describe('the count', () => {
  test('costs a write one update, side by side, and a read nothing', async () => {
    const seen = record()
    await comment()
    expect(seen.sort()).toEqual(['GetItem', 'TransactWriteItems', 'UpdateItem'])
    seen.length = 0
    await call('listComments', { as: house.reader, params: { post_id: post.id } })
    expect(seen).not.toContain('UpdateItem')
  })

  test('is exact to within the requests in flight', async () => {
    const statuses = (await Promise.all(Array.from({ length: BUDGET + 10 }, () => comment()))).map(({ status }) => status)
    const written = statuses.filter((status) => status === 201).length
    expect(written).toBeGreaterThanOrEqual(BUDGET)
    expect(statuses.filter((status) => status === 429)).toHaveLength(BUDGET + 10 - written)
    expect(await comment()).toMatchObject({ status: 429 })
    const counters = (await allItems()).filter(({ pk }) => pk === `WRITES#${house.tenant_id}`)
    expect(counters.at(-1)).toEqual({
      pk: `WRITES#${house.tenant_id}`,
      sk: String(minute / 60_000).padStart(16, '0'),
      type: 'writes',
      writes: written,
      expires_at: (minute + 120_000) / 1000,
    })
  })

  test('is over before the answer, also where the write was refused', async () => {
    let counted = 0
    proxy.state.plan = (operation) => {
      if (operation !== 'UpdateItem') return undefined
      counted++
      return { kind: 'delay', ms: 60 }
    }
    expect(await comment(house.reader, { post_id: 1 })).toMatchObject({ status: 404 })
    expect(counted).toBe(1)
    const counter = (await allItems()).filter(({ pk }) => pk === `WRITES#${house.tenant_id}`).at(-1)
    expect(counter).toMatchObject({ writes: 1 })
  })

  test.each([
    ['is throttled', () => ({ kind: 'answer', status: 400, body: { __type: 'ThrottlingException' } }) as const],
    ['is cut off', () => ({ kind: 'cut-before' }) as const],
  ])('does not stop a write when it %s, and says so in the log', async (_what, fault) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    process.env.LOG_LEVEL = 'warn'
    proxy.state.plan = (operation) => (operation === 'UpdateItem' ? fault() : undefined)
    expect(await comment()).toMatchObject({ status: 201 })
    process.env.LOG_LEVEL = 'error'
    expect(warn.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      expect.objectContaining({ message: 'A write was not counted', tenant_id: house.tenant_id }),
    ])
  })

  test('does not stop a write when it can’t be read', async () => {
    const Item = { pk: `WRITES#${house.tenant_id}`, sk: String(minute / 60_000).padStart(16, '0'), writes: 'many' }
    await tableClient().send(new PutCommand({ TableName: process.env.TABLE_NAME, Item }))
    expect(await comment()).toMatchObject({ status: 201 })
  })
})
