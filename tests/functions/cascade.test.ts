import type { Context, DynamoDBRecord } from 'aws-lambda'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { handler } from '#functions/workers/cascade.ts'
import { deleteItems } from '#lib/table/batches.ts'
import { getItem } from '#lib/table/items.ts'
import { anchors, keys, type TenantId } from '#lib/table/keys.ts'
import { call } from '#tests/support/call.ts'
import { cascade, openStream } from '#tests/support/stream.ts'
import { allItems, itemsOf } from '#tests/support/table.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, newUser, type Person } from '#tests/support/world.ts'

let admin: Person
let drain: Awaited<ReturnType<typeof openStream>>

beforeAll(async () => {
  admin = await newAdmin()
  drain = await openStream()
})

/** A tenant where the author has blogs with posts with comments. */
async function furnish(blogs: number, posts: number, comments: number) {
  const house = await newTenant(admin)
  const made = await Promise.all(Array.from({ length: blogs }, () => newBlog(house.author)))
  const all = await Promise.all(made.flatMap((blog) => Array.from({ length: posts }, () => newPost(house.author, blog.id))))
  await Promise.all(all.flatMap((post) => Array.from({ length: comments }, () => newComment(house.reader, post.id))))
  return { house, blogs: made, posts: all }
}

const deleteTenant = (house: House) => call('deleteTenant', { as: admin, params: { tenant_id: house.tenant_id } })

/** A stream event as the local engine gives it. */
const eventOf = (pk: string): DynamoDBRecord =>
  ({
    eventName: 'MODIFY',
    dynamodb: { Keys: { pk: { S: pk }, sk: { S: '#' } }, SequenceNumber: '1' },
  }) as unknown as DynamoDBRecord

describe('Deleting', () => {
  test('a post leaves none of its comments', async () => {
    const { house, blogs, posts } = await furnish(1, 1, 30)
    const [blog, post] = [blogs[0], posts[0]]
    expect(await call('deletePost', { as: house.author, params: { blog_id: blog.id, post_id: post.id } })).toMatchObject({
      status: 204,
    })
    await drain()
    expect((await itemsOf(house.tenant_id)).filter(({ pk }) => pk.includes('POST'))).toEqual([])
    expect(
      await call('showBlog', {
        as: house.author,
        params: { tenant_id: house.tenant_id, user_id: house.author.id, blog_id: blog.id },
      }),
    ).toMatchObject({ status: 200 })
  })

  test("a user leaves none of its blogs, and keeps its comments on other people's posts", async () => {
    const house = await newTenant(admin)
    const theirs = await newPost(house.other, (await newBlog(house.other)).id)
    const mine = await newPost(house.author, (await newBlog(house.author)).id)
    await newComment(house.reader, mine.id)
    const kept = await newComment(house.author, theirs.id)
    const params = { tenant_id: house.tenant_id, user_id: house.author.id }
    expect(await call('deleteUser', { as: house.owner, params })).toMatchObject({ status: 204 })
    await drain()
    const left = await itemsOf(house.tenant_id)
    expect(
      left.filter(
        ({ pk, user_id, id }) => pk.endsWith(`USER#${house.author.id}`) || (user_id === house.author.id && id !== kept.id),
      ),
    ).toEqual([])
    expect(left.filter(({ pk }) => pk === anchors.post(house.tenant_id as TenantId, mine.id).pk)).toEqual([])
    const comments = await call('listComments', { as: house.reader, params: { post_id: theirs.id } })
    expect(comments.body.comments).toEqual([kept])
  })

  test('a tenant leaves nothing in the table, whoever keeps creating under it meanwhile', async () => {
    const { house, blogs, posts } = await furnish(4, 5, 2)
    const untouched = await newTenant(admin)
    const before = await itemsOf(untouched.tenant_id)
    let stop = false
    const statuses = new Set<number>()
    const client = async (create: () => Promise<{ status: number }>) => {
      while (!stop) statuses.add((await create()).status)
    }
    const clients = [
      client(() => call('createPost', { as: house.author, params: { blog_id: blogs[0].id }, body: { title: 'T', body: 'B' } })),
      client(() => call('createComment', { as: house.reader, params: { post_id: posts[0].id }, body: { body: 'C' } })),
      client(() =>
        call('createBlog', {
          as: house.owner,
          params: { tenant_id: house.tenant_id, user_id: house.owner.id },
          body: { title: 'T' },
        }),
      ),
      client(() =>
        call('createUser', {
          as: admin,
          params: { tenant_id: house.tenant_id },
          body: { email: `${Math.random()}@example.org`, password: 'correct horse' },
        }),
      ),
    ]
    expect(await deleteTenant(house)).toMatchObject({ status: 204 })
    await drain()
    stop = true
    await Promise.all(clients)
    await drain()
    expect(await itemsOf(house.tenant_id)).toEqual([])
    expect([...statuses].filter((status) => ![201, 401, 404].includes(status))).toEqual([])
    expect(await itemsOf(untouched.tenant_id)).toEqual(before)
    expect(await call('showProfile', { as: house.owner })).toMatchObject({ status: 401 })
  })

  test('a tenant with more users than one round takes leaves none of them, nor of their logins', async () => {
    const house = await newTenant(admin)
    await Promise.all(Array.from({ length: 60 }, () => newUser(admin, house.tenant_id, 'author')))
    await deleteTenant(house)
    await drain()
    expect(await itemsOf(house.tenant_id)).toEqual([])
  })
})

describe('From the delete on, and before any cascade, nothing can be made', () => {
  const gone = { status: 404, body: { success: false, error: 'Not found' } }

  test('under a post', async () => {
    const { house, posts } = await furnish(1, 1, 0)
    const { id: post_id, blog_id } = posts[0]
    await call('deletePost', { as: house.author, params: { blog_id, post_id } })
    const body = { body: 'Late' }
    expect(await call('createComment', { as: house.reader, params: { post_id }, body })).toMatchObject(gone)
    expect(await call('createComment', { as: house.reader, params: { blog_id, post_id }, body })).toMatchObject(gone)
  })

  test('under a blog', async () => {
    const { house, blogs } = await furnish(1, 0, 0)
    const blog_id = blogs[0].id
    const params = { tenant_id: house.tenant_id, user_id: house.author.id, blog_id }
    await call('deleteBlog', { as: house.author, params })
    const body = { title: 'Late', body: 'Words' }
    expect(await call('createPost', { as: house.author, params: { blog_id }, body })).toMatchObject(gone)
    expect(await call('createPost', { as: house.owner, params: { blog_id }, body })).toMatchObject(gone)
  })

  test('under a user', async () => {
    const house = await newTenant(admin)
    const params = { tenant_id: house.tenant_id, user_id: house.author.id }
    await call('deleteUser', { as: house.owner, params })
    expect(await call('createBlog', { as: house.owner, params, body: { title: 'Late' } })).toMatchObject(gone)
  })

  test('under a tenant', async () => {
    const house = await newTenant(admin)
    await deleteTenant(house)
    const params = { tenant_id: house.tenant_id, user_id: house.author.id }
    const body = { email: 'late@example.org', password: 'correct horse' }
    expect(await call('createUser', { as: admin, params: { tenant_id: house.tenant_id }, body })).toMatchObject(gone)
    expect(await call('createBlog', { as: house.author, params, body: { title: 'Late' } })).toMatchObject(gone)
  })
})

describe('The cascade', () => {
  test('goes on with a new event when its time is up, and blocks nobody meanwhile', async () => {
    const { house } = await furnish(3, 20, 1)
    await deleteTenant(house)
    let calls = 0
    await drain(async (records) => {
      for (const record of records) {
        let checks = 0
        const context = { getRemainingTimeInMillis: () => (checks++ > 0 ? 0 : 60_000) } as unknown as Context
        calls++
        expect(await handler({ Records: [record] }, context)).toEqual({ batchItemFailures: [] })
      }
    })
    expect(calls).toBeGreaterThan(100)
    expect(await itemsOf(house.tenant_id)).toEqual([])
  })

  test('does no harm when its events come twice, in any order, and two at once', async () => {
    const { house } = await furnish(3, 4, 2)
    await deleteTenant(house)
    await drain(async (records) => {
      await Promise.all([cascade(records), cascade([...records].reverse()), cascade(records)])
    })
    expect(await itemsOf(house.tenant_id)).toEqual([])
  })

  test('takes up a purge whose event was lost and whose anchor went by its time to live', async () => {
    const { house, posts } = await furnish(1, 1, 3)
    const tenant = house.tenant_id as TenantId
    const { pk, sk } = anchors.post(tenant, posts[0].id)
    await call('deletePost', { as: house.author, params: { blog_id: posts[0].blog_id, post_id: posts[0].id } })
    await deleteItems(pk, [sk])
    await cascade([eventOf(pk)])
    expect((await allItems()).filter((item) => item.pk === pk)).toEqual([])
  })

  test('leaves alone what is not being deleted', async () => {
    const { house } = await furnish(1, 2, 1)
    const before = await itemsOf(house.tenant_id)
    await cascade(before.map(({ pk }) => eventOf(pk)))
    expect(await itemsOf(house.tenant_id)).toEqual(before)
  })

  test('raises no ghost of a child that another cascade has finished', async () => {
    const { house, posts } = await furnish(1, 1, 0)
    const tenant = house.tenant_id as TenantId
    const anchor = anchors.post(tenant, posts[0].id)
    await deleteItems(anchor.pk, [anchor.sk])
    await call('deleteBlog', {
      as: house.author,
      params: { tenant_id: tenant, user_id: house.author.id, blog_id: posts[0].blog_id },
    })
    await drain()
    expect(await getItem(anchor)).toBeUndefined()
    expect(await getItem(keys.post(tenant, posts[0].blog_id, posts[0].id))).toBeUndefined()
  })

  test('reports the event that failed, so that it comes again', async () => {
    vi.spyOn(console, 'error').mockImplementationOnce(() => {})
    const tooLong = eventOf(`TENANT#1#${'x'.repeat(3000)}`)
    expect(await cascade([tooLong])).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] })
  })
})
