import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newTenant } from '#tests/support/world.ts'

let house: House
let blog: { id: number }

beforeAll(async () => {
  house = await newTenant(await newAdmin())
  blog = await newBlog(house.author)
})

describe('POST /blogs/{blog_id}/posts', () => {
  test('an author publishes a post and reads it back', async () => {
    const params = { blog_id: blog.id }
    const made = await call('createPost', { as: house.author, params, body: { title: 'Hello', body: 'World' } })
    expect(made).toMatchObject({ status: 201, body: { id: expect.any(Number), title: 'Hello' } })
    const shown = await call('showPost', { as: house.author, params: { ...params, post_id: made.body.id } })
    expect(shown).toMatchObject({ status: 200, body: made.body })
  })
})
