import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { deleteItems } from '#lib/table/batches.ts'
import { anchors, type TenantId } from '#lib/table/keys.ts'
import { call } from '#tests/support/call.ts'
import { conflictOn, FAULTS, type Fault, type Plan, startProxy } from '#tests/support/proxy.ts'
import { cascade, openStream } from '#tests/support/stream.ts'
import { allItems, itemsOf } from '#tests/support/table.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, type Person } from '#tests/support/world.ts'

/** How many writes each of the four clients makes: `npm run faults` sets it higher. */
const WRITES = Number(process.env.FAULT_WRITES ?? 15)
const CLIENTS = 4
const MAX_TRIES = 40

let proxy: Awaited<ReturnType<typeof startProxy>>
let admin: Person
let house: House
let blog: { id: number }
let post: { id: number }

beforeAll(async () => {
  proxy = await startProxy()
  process.env.TABLE_TIMEOUT_MS = ''
  admin = await newAdmin()
  house = await newTenant(admin)
  blog = await newBlog(house.author)
  post = await newPost(house.author, blog.id)
})

beforeEach(() => {
  proxy.state.plan = () => undefined
  proxy.state.injected = 0
  vi.spyOn(console, 'warn').mockImplementation(() => {})
})

afterAll(() => proxy.stop())

/** Injects faults into the first requests of an operation, and none afterwards. */
function first(times: number, operation: string, fault: Fault | ((body: string) => Fault)): Plan {
  let left = times
  return (given, body) => {
    if (given !== operation || left === 0) return undefined
    left--
    return typeof fault === 'function' ? fault(body) : fault
  }
}

const always =
  (operation: string, fault: Fault): Plan =>
  (given) =>
    given === operation ? fault : undefined

const create = (title = 'A post') =>
  call('createPost', { as: house.author, params: { blog_id: blog.id }, body: { title, body: 'Words' } })
const patch = (title: string, headers = {}) =>
  call('updatePost', { as: house.author, params: { blog_id: blog.id, post_id: post.id }, body: { title }, headers })
const show = () => call('showPost', { as: house.author, params: { blog_id: blog.id, post_id: post.id } })

describe('a fault that passes is not noticed', () => {
  test.each<[string, Fault]>([
    ['throttling', FAULTS.throttled],
    ['an internal error', FAULTS.internal],
    ['a bad gateway', FAULTS.gateway],
    ['a connection cut before the request', FAULTS.cutBefore],
    ['a connection cut after the request', FAULTS.cutAfter],
  ])('in a read: %s', async (_what, fault) => {
    proxy.state.plan = first(2, 'GetItem', fault)
    expect(await show()).toMatchObject({ status: 200, body: { id: post.id } })
    expect(proxy.state.injected).toBe(2)
  })

  test.each<[string, Fault]>([
    ['throttling', FAULTS.throttled],
    ['an internal error', FAULTS.internal],
    ['a connection cut before the write', FAULTS.cutBefore],
    ['a connection cut after the write', FAULTS.cutAfter],
  ])('in a create, which makes one record: %s', async (_what, fault) => {
    proxy.state.plan = first(2, 'TransactWriteItems', fault)
    const title = `Once ${Math.random()}`
    expect(await create(title)).toMatchObject({ status: 201 })
    expect(proxy.state.injected).toBe(2)
    expect((await allItems()).filter((item) => item.title === title)).toHaveLength(1)
  })

  test.each<[string, Fault]>([
    ['throttling', FAULTS.throttled],
    ['a connection cut before the write', FAULTS.cutBefore],
    ['a connection cut after the write', FAULTS.cutAfter],
    ['a conflict with a transaction', FAULTS.conflict],
  ])('in an update, which counts once: %s', async (_what, fault) => {
    const { version } = (await show()).body
    // The tenant's counter is an update as well: only the record's is meant.
    let left = 2
    proxy.state.plan = (operation, body) =>
      operation === 'UpdateItem' && body.includes('POST#') && left-- > 0 ? fault : undefined
    const changed = await patch('Changed', { 'if-match': `"${version}"` })
    expect(changed).toMatchObject({ status: 200, body: { title: 'Changed', version: version + 1 } })
    expect(proxy.state.injected).toBe(2)
    expect((await show()).body).toEqual(changed.body)
  })

  test('in an update without a precondition, which counts once all the same', async () => {
    const { version } = (await show()).body
    let left = 1
    proxy.state.plan = (operation, body) =>
      operation === 'UpdateItem' && body.includes('POST#') && left-- > 0 ? FAULTS.cutAfter : undefined
    expect(await patch('Changed again')).toMatchObject({ status: 200, body: { version: version + 1 } })
    expect((await show()).body.version).toBe(version + 1)
  })

  test('in a delete whose first reply was lost: 204', async () => {
    const comment = await newComment(house.reader, post.id)
    proxy.state.plan = first(1, 'DeleteItem', FAULTS.cutAfter)
    const params = { post_id: post.id, comment_id: comment.id }
    expect(await call('deleteComment', { as: house.reader, params })).toMatchObject({ status: 204 })
    expect(proxy.state.injected).toBe(1)
    expect(await call('deleteComment', { as: house.reader, params })).toMatchObject({ status: 404 })
  })

  test('in a delete of a post whose first reply was lost: 204', async () => {
    const gone = await newPost(house.author, blog.id)
    proxy.state.plan = first(1, 'TransactWriteItems', FAULTS.cutAfter)
    const params = { blog_id: blog.id, post_id: gone.id }
    expect(await call('deletePost', { as: house.author, params })).toMatchObject({ status: 204 })
  })

  test('in a transaction that others get in the way of, on any of its items', async () => {
    proxy.state.plan = first(3, 'TransactWriteItems', (body) => conflictOn(body, proxy.state.injected % 3))
    expect(await create()).toMatchObject({ status: 201 })
    expect(proxy.state.injected).toBe(3)
  })

  test('in a login that others get in the way of: one token, and it works', async () => {
    proxy.state.plan = first(3, 'TransactWriteItems', (body) => conflictOn(body, 1))
    const { body } = await call('login', {
      body: { email: house.other.email, password: 'correct horse', tenant_id: house.tenant_id },
    })
    expect(await call('showProfile', { as: body })).toMatchObject({ status: 200 })
  })

  test('in a batch that is processed in part', async () => {
    const drain = await openStream()
    const doomed = await newPost(house.author, blog.id)
    for (let n = 0; n < 30; n++) await newComment(house.reader, doomed.id, `Comment ${n}`)
    await call('deletePost', { as: house.author, params: { blog_id: blog.id, post_id: doomed.id } })
    // Every other one, the anchor's own removal among them.
    let batch = 0
    proxy.state.plan = (operation) => (operation === 'BatchWriteItem' && batch++ % 2 === 0 ? FAULTS.unprocessed : undefined)
    await drain()
    expect(proxy.state.injected).toBeGreaterThan(2)
    expect((await itemsOf(house.tenant_id)).filter(({ pk }) => pk.endsWith(`POST#${doomed.id}`))).toEqual([])
  })
})

describe('a transaction whose first sending may have gone through', () => {
  test('is not made anew: a 503, and one record', async () => {
    // The SDK sends three times; only a fourth sending would be another transaction.
    const faults = [FAULTS.cutAfter, FAULTS.inProgress, FAULTS.inProgress]
    proxy.state.plan = (operation) => (operation === 'TransactWriteItems' ? faults.shift() : undefined)
    const title = `In progress ${Math.random()}`
    expect(await create(title)).toMatchObject({ status: 503 })
    expect((await allItems()).filter((item) => item.title === title)).toHaveLength(1)
  })
})

describe('a fault that stays is a 503', () => {
  const unavailable = { status: 503, body: { success: false, error: 'Service unavailable' }, headers: { 'retry-after': '1' } }

  test.each<[string, string, Fault, () => Promise<unknown>]>([
    ['while reading, throttled', 'GetItem', FAULTS.throttled, show],
    ['while reading, cut off', 'GetItem', FAULTS.cutBefore, show],
    ['while reading, broken', 'GetItem', FAULTS.internal, show],
    ['while reading, behind a bad gateway', 'GetItem', FAULTS.gateway, show],
    ['while listing', 'Query', FAULTS.throttled, () => call('listPosts', { as: house.reader, params: { blog_id: blog.id } })],
    ['while creating', 'TransactWriteItems', FAULTS.internal, () => create()],
    ['while creating, cut off', 'TransactWriteItems', FAULTS.cutBefore, () => create()],
    ['while updating, throttled', 'UpdateItem', FAULTS.throttled, () => patch('Not now')],
    ['while updating, in conflict', 'UpdateItem', FAULTS.conflict, () => patch('Not now')],
  ])('%s', async (_when, operation, fault, request) => {
    proxy.state.plan = always(operation, fault)
    expect(await request()).toMatchObject(unavailable)
  })

  test('while an answer does not come: within the time of a function', async () => {
    proxy.state.plan = always('GetItem', { kind: 'delay', ms: 2_300 })
    const begun = performance.now()
    expect(await show()).toMatchObject(unavailable)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})

describe('a cascade that is killed in the middle', () => {
  test('is finished by the next run', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const drain = await openStream()
    const doomed = await newTenant(admin)
    const theirs = await newBlog(doomed.author)
    for (let n = 0; n < 5; n++) await newComment(doomed.reader, (await newPost(doomed.author, theirs.id)).id)
    await call('deleteTenant', { as: admin, params: { tenant_id: doomed.tenant_id } })
    // Each run of the worker may make 12 requests; then its connection is dead until the next run.
    let left = Number.POSITIVE_INFINITY
    proxy.state.plan = () => (left-- > 0 ? undefined : FAULTS.cutBefore)
    await drain(async (records) => {
      for (let run = 0; run < 60; run++) {
        left = 12 + run
        const { batchItemFailures } = (await cascade(records)) as { batchItemFailures: unknown[] }
        if (batchItemFailures.length === 0) break
      }
      left = Number.POSITIVE_INFINITY
    })
    expect(proxy.state.injected).toBeGreaterThan(0)
    expect(await itemsOf(doomed.tenant_id)).toEqual([])
  })
})

describe('a cascade that puts back an anchor, and does not hear so', () => {
  test('goes on all the same', async () => {
    const doomed = await newPost(house.author, blog.id)
    await newComment(house.reader, doomed.id)
    const { pk, sk } = anchors.post(house.tenant_id as TenantId, doomed.id)
    await call('deletePost', { as: house.author, params: { blog_id: blog.id, post_id: doomed.id } })
    await deleteItems(pk, [sk])
    proxy.state.plan = first(1, 'UpdateItem', FAULTS.cutAfter)
    await cascade([{ eventName: 'REMOVE', dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }])
    expect(proxy.state.injected).toBe(1)
    expect((await allItems()).filter((item) => item.pk === pk)).toEqual([])
  })
})

describe('clients that send again under their keys, through random faults', () => {
  test('lose no acknowledged write and make none twice', async () => {
    const random = seeded(20_261_120)
    const faults = [FAULTS.throttled, FAULTS.internal, FAULTS.gateway, FAULTS.cutBefore, FAULTS.cutAfter]
    proxy.state.plan = (operation, body) => {
      if (random() > 0.25) return undefined
      if (random() < 0.2 && operation === 'TransactWriteItems') return conflictOn(body)
      return faults[Math.floor(random() * faults.length)]
    }
    const statuses = new Map<number, number>()
    const until = async (done: number, request: () => ReturnType<typeof call>) => {
      for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
        const answer = await request()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status === done) return answer
      }
      throw new Error('No answer but 503')
    }
    const client = async (name: number) => {
      const acknowledged: { id: number; title: string }[] = []
      for (let n = 0; n < WRITES; n++) {
        const [as, params] = [house.author, { blog_id: blog.id }]
        const title = `Client ${name}, post ${n}`
        const headers = { 'idempotency-key': `client-${name}-${n}` }
        const made = await until(201, () => call('createPost', { as, params, body: { title, body: 'Words' }, headers }))
        const changed = `${title}, changed`
        await until(200, () => call('updatePost', { as, params: { ...params, post_id: made.body.id }, body: { title: changed } }))
        acknowledged.push({ id: made.body.id, title: changed })
      }
      return acknowledged
    }
    const acknowledged = (await Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)))).flat()
    const { injected } = proxy.state
    proxy.state.plan = () => undefined
    const stored = (await allItems()).filter(({ title }) => String(title).startsWith('Client '))
    expect(stored.map(({ id, title }) => ({ id, title })).sort(byId)).toEqual(acknowledged.sort(byId))
    expect([...statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    expect(injected).toBeGreaterThan(WRITES)
    const counts = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')
    console.info(`${injected} faults injected, ${acknowledged.length * 2} writes acknowledged, 0 lost, 0 twice (${counts})`)
  }, 600_000)
})

const byId = (a: { id: unknown }, b: { id: unknown }): number => Number(a.id) - Number(b.id)

/** mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
