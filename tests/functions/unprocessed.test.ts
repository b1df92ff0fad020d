import { afterEach, beforeAll, expect, test } from 'vitest'
import { call } from '#tests/support/call.ts'
import { startProxy } from '#tests/support/proxy.ts'
import { type House, newAdmin, newBlog, newTenant } from '#tests/support/world.ts'

const proxy = await startProxy()

let house: House
let params: Record<string, number>

beforeAll(async () => {
  house = await newTenant(await newAdmin())
  const blog = await newBlog(house.author)
  params = { tenant_id: house.tenant_id, user_id: house.author.id, blog_id: blog.id }
})

afterEach(() => {
  proxy.state.plan = () => undefined
})

/** The table leaves the first so many batches of reads undone. */
function leave(batches: number): void {
  let left = batches
  proxy.state.plan = (operation, body) => {
    if (operation !== 'BatchGetItem' || left-- <= 0) return undefined
    return { kind: 'answer', status: 200, body: { Responses: {}, UnprocessedKeys: JSON.parse(body).RequestItems } }
  }
}

test('what a read leaves undone is read again', async () => {
  leave(2)
  const { status, body } = await call('showBlog', { as: house.author, params })
  expect({ status, id: body.blog?.id }).toEqual({ status: 200, id: params.blog_id })
})

test('what is never read is a 503, not a 404', async () => {
  leave(Number.POSITIVE_INFINITY)
  expect(await call('showBlog', { as: house.author, params })).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
}, 20_000)
