import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { anchors, type Key, keys, type TenantId } from '#lib/table/keys.ts'
import { ask } from '#tests/support/answers.ts'
import { openStream } from '#tests/support/stream.ts'
import { allItems, tableClient } from '#tests/support/table.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, type Person } from '#tests/support/world.ts'
import { examine } from '#tools/checkup/examine.ts'

let admin: Person
let house: House
let tenant: TenantId
let drain: Awaited<ReturnType<typeof openStream>>

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
  tenant = house.tenant_id as TenantId
  drain = await openStream()
})

const TableName = () => process.env.TABLE_NAME
const lose = (key: Key) => tableClient().send(new DeleteCommand({ TableName: TableName(), Key: key }))
const plant = (item: Key & Record<string, unknown>) => tableClient().send(new PutCommand({ TableName: TableName(), Item: item }))

const findings = async () => (await examine(TableName() as string)).map(({ kind, key }) => `${kind}: ${key.pk} ${key.sk}`)

/** What the command does with --fix, and what the stream's worker does after it. */
async function mend(): Promise<void> {
  for (const { mend } of await examine(TableName() as string)) await mend?.()
  await drain()
}

/** A blog with a post with a comment. */
async function furnish() {
  const blog = await newBlog(house.author)
  const post = await newPost(house.author, blog.id)
  await newComment(house.reader, post.id)
  return { blog, post }
}

const blogKey = (id: number) => keys.blog(tenant, house.author.id, id)
const listPosts = (id: number) => ask('listPosts', { as: house.author, params: { blog_id: id } })

describe('npm run doctor', () => {
  test('finds nothing in a table that only the service has written', async () => {
    const { blog } = await furnish()
    await furnish()
    await ask('deleteBlog', { as: house.author, params: { tenant_id: tenant, user_id: house.author.id, blog_id: blog.id } })
    expect(await findings()).toEqual([])
    await drain()
    expect(await findings()).toEqual([])
  })

  test('writes nothing without --fix', async () => {
    const { blog } = await furnish()
    await lose(blogKey(blog.id))
    const before = await allItems()
    expect(await findings()).toHaveLength(1)
    expect(await allItems()).toEqual(before)
    await mend()
  })

  test('removes what stands in a partition that has neither anchor nor record', async () => {
    const { blog, post } = await furnish()
    await lose(blogKey(blog.id))
    await lose(anchors.blog(tenant, blog.id))
    const { pk } = anchors.blog(tenant, blog.id)
    expect(await findings()).toEqual([`orphans: ${pk} ${keys.post(tenant, blog.id, post.id).sk}`])
    await mend()
    expect(await findings()).toEqual([])
    const left = (await allItems()).filter((item) => item.pk === pk || item.pk === anchors.post(tenant, post.id).pk)
    expect(left).toEqual([])
  })

  test('removes a parent that has lost its record, with all that it holds', async () => {
    const { blog, post } = await furnish()
    await lose(blogKey(blog.id))
    expect(await findings()).toEqual([`no record: ${anchors.blog(tenant, blog.id).pk} #`])
    await mend()
    expect(await findings()).toEqual([])
    expect((await allItems()).filter(({ pk }) => pk === anchors.post(tenant, post.id).pk)).toEqual([])
  })

  test('puts an anchor back where the record is there, and loses nothing', async () => {
    const { blog, post } = await furnish()
    const key = anchors.blog(tenant, blog.id)
    const before = (await allItems()).filter(({ pk }) => pk === key.pk)
    await lose(key)
    expect(await listPosts(blog.id)).toMatchObject({ status: 404 })
    expect(await findings()).toEqual([`no anchor: ${blogKey(blog.id).pk} ${blogKey(blog.id).sk}`])
    await mend()
    expect(await listPosts(blog.id)).toMatchObject({ status: 200 })
    expect((await allItems()).filter(({ pk }) => pk === key.pk)).toEqual(before)
    expect(await ask('showPost', { as: house.author, params: { blog_id: blog.id, post_id: post.id } })).toMatchObject({
      status: 200,
    })
  })

  test('finishes a deletion that was given up, and leaves one alone that is under way', async () => {
    const { blog } = await furnish()
    await ask('deleteBlog', { as: house.author, params: { tenant_id: tenant, user_id: house.author.id, blog_id: blog.id } })
    expect(await findings()).toEqual([])
    const Key = anchors.blog(tenant, blog.id)
    const sevenHoursAgo = Math.floor(Date.now() / 1000) + 7 * 86_400 - 7 * 3600
    const UpdateExpression = 'SET expires_at = :then'
    await tableClient().send(
      new UpdateCommand({ TableName: TableName(), Key, UpdateExpression, ExpressionAttributeValues: { ':then': sevenHoursAgo } }),
    )
    expect(await findings()).toEqual([`unfinished: ${Key.pk} #`])
    await mend()
    expect(await findings()).toEqual([])
    expect((await allItems()).filter(({ pk }) => pk === Key.pk)).toEqual([])
  })

  test('removes logins, claims and identities of nobody, and tokens and API keys that nobody holds', async () => {
    const nobody = 4_096
    const { body } = await ask('createApiKey', { as: house.author, body: { name: 'A key that is held' } })
    const expires_at = Math.floor(Date.now() / 1000) + 3600
    const dead = [
      { ...keys.login('nobody@example.org', nobody), type: 'login', user_id: nobody },
      { ...keys.login('old@example.org', house.author.id), type: 'login', user_id: house.author.id, email: 'old@example.org' },
      { ...keys.claim(tenant, 'nobody@example.org'), type: 'claim', user_id: nobody },
      { ...keys.principal(nobody), type: 'principal', tenant_id: tenant, user_id: nobody },
      { ...keys.token('0'.repeat(64)), type: 'token', tenant_id: tenant, user_id: house.author.id, expires_at },
      { ...keys.apiKey(house.author.id, 77), type: 'key', id: 77, tenant_id: tenant, user_id: house.author.id, expires_at },
    ]
    for (const item of dead) await plant(item)
    const expected = dead.filter(({ pk }) => pk !== 'EMAIL#nobody@example.org').map(({ pk, sk }) => `dead identity: ${pk} ${sk}`)
    expect((await findings()).sort()).toEqual(expected.sort())
    await mend()
    await mend() // a login of an identity that was nobody's
    expect(await findings()).toEqual([])
    for (const as of [house.author, body.key]) expect(await ask('showProfile', { as })).toMatchObject({ status: 200 })
  })

  test('leaves to a person a user who can never log in', async () => {
    await lose(keys.principal(house.other.id))
    const found = await examine(TableName() as string)
    expect(found.filter(({ kind }) => kind === 'no identity')).toEqual([
      { kind: 'no identity', key: { ...keys.user(tenant, house.other.id) }, says: expect.stringContaining('can never log in') },
    ])
  })
})
