import { beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from '#tests/support/call.ts'
import { routes } from '#tools/routes.ts'
import { type Bill, metered } from './meter.ts'
import { blogOf, loadedId, newStage, requestsOn, type Stage } from './requests.ts'
import { COST_PAGE, ROWS } from './table.ts'

let stage: Stage
let requests: ReturnType<typeof requestsOn>

beforeAll(async () => {
  stage = await newStage()
  requests = requestsOn(stage)
})

const REFUSED = ['login with a wrong password']

describe('DynamoDB is asked for exactly', () => {
  test.each(ROWS.map((row) => [`${row.name} ${row.when}`.trim(), row] as const))('%s', async (label, row) => {
    const request = await requests[label]?.()
    // A change that a new second overtakes moves its mark once more.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { result, bill } = await metered(() => call(row.name, request))
    vi.useRealTimers()
    expect(result.status < 300).toBe(!REFUSED.includes(label))
    expect(bill).toEqual({ calls: row.calls, steps: row.steps, rcu: row.rcu, wcu: row.wcu })
  })

  test('nothing, where a token is none', async () => {
    const { bill } = await metered(() => call('showProfile', { as: { token: 'no-token' } }))
    expect(bill).toEqual({ calls: 0, steps: 0, rcu: 0, wcu: 0 })
  })

  test('every route is in the table', () => {
    const names = new Set(ROWS.map(({ name }) => name))
    expect(routes().filter(({ name }) => !names.has(name))).toEqual([])
  })

  test('the page of costs is the table', async () => {
    await expect(COST_PAGE).toMatchFileSnapshot('../bench/COST.md')
  })
})

describe('among 5,000 posts as among 100', () => {
  const bills: Record<string, Bill>[] = []

  beforeAll(async () => {
    for (const posts of [100, 5_000]) bills.push(await billsIn(await blogOf(stage, posts), posts))
  })

  /** What people do in a blog, in its middle where there is one. */
  async function billsIn(blog_id: number, posts: number): Promise<Record<string, Bill>> {
    const as = stage.house.author
    const middle = { as, params: { blog_id, post_id: loadedId(posts / 2) } }
    const first = await metered(() => call('listPosts', { as, params: { blog_id } }))
    const cursor = first.result.body.next_cursor
    const second = await metered(() => call('listPosts', { as, params: { blog_id }, query: { cursor } }))
    const created = await metered(() => call('createPost', { as, params: { blog_id }, body: { title: 'New', body: 'New' } }))
    const shown = await metered(() => call('showPost', middle))
    const updated = await metered(() => call('updatePost', { ...middle, body: { title: 'Renamed' } }))
    const statuses = [first, second, created, shown, updated].map(({ result }) => result.status)
    expect(statuses).toEqual([200, 200, 201, 200, 200])
    return { first: first.bill, second: second.bill, created: created.bill, shown: shown.bill, updated: updated.bill }
  }

  test('each request costs the same', () => {
    expect(bills[1]).toEqual(bills[0])
    expect(bills[0]?.first).toEqual({ calls: 3, steps: 2, rcu: 8, wcu: 0 })
  })
})
