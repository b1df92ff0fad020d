import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { newborn } from '#lib/ids.ts'
import type { TenantId } from '#lib/table/keys.ts'
import { keys } from '#lib/table/keys.ts'
import { ask } from '#tests/support/answers.ts'
import { type CallRequest, call } from '#tests/support/call.ts'
import { tableClient } from '#tests/support/table.ts'
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
import { routes } from '#tools/routes.ts'
import { type Bill, metered } from './meter.ts'
import { COST_PAGE, ROWS } from './table.ts'

const KILOBYTE = 'x'.repeat(900)

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

const ofTenant = () => ({ tenant_id: house.tenant_id })
const ofBlog = () => ({ blog_id: blog.id })
const ofPost = () => ({ ...ofBlog(), post_id: post.id })
const member = async () => newUser(house.owner, house.tenant_id, 'author')
const pathOf = ({ id, tenant_id }: Person) => ({ tenant_id, user_id: id })
const credentials = ({ email }: Person, password = PASSWORD) => ({ body: { email, password } })

const change = async (body: object): Promise<CallRequest> => ({ as: house.owner, params: pathOf(await member()), body })
const publish = (body = 'Words', headers = {}): CallRequest => ({
  as: house.author,
  params: ofBlog(),
  body: { title: 'A post', body },
  headers,
})
const ownBlog = async () => ({ ...pathOf(house.author), blog_id: (await newBlog(house.author)).id })
const comment = async () => ({ comment_id: (await newComment(house.reader, post.id)).id })
const newKey = async () => ({ key_id: (await ask('createApiKey', { as: house.author, body: { name: 'A key' } })).body.key.id })

/** A blog with posts that went straight into the table, as a create would have put them there. */
async function blogOf(posts: number): Promise<number> {
  const { id: blog_id } = await newBlog(house.author)
  const items = Array.from({ length: posts }, (_, n) => {
    const made = { ...newborn(n + 1, Date.now()), blog_id, user_id: house.author.id, title: 'A post', body: KILOBYTE }
    return { ...made, ...keys.post(house.tenant_id as TenantId, blog_id, made.id), type: 'post', blog_user_id: house.author.id }
  })
  for (let start = 0; start < items.length; start += 25)
    await tableClient().send(
      new BatchWriteCommand({ RequestItems: { [process.env.TABLE_NAME as string]: puts(items.slice(start, start + 25)) } }),
    )
  return blog_id
}

const puts = (items: object[]) => items.map((Item) => ({ PutRequest: { Item } }))

/** A request of each row's kind, made ready before it is metered. */
const REQUESTS: Record<string, () => CallRequest | Promise<CallRequest>> = {
  listTenants: () => ({ as: admin }),
  createTenant: () => ({ as: admin, body: { name: 'Another' } }),
  showTenant: () => ({ as: admin, params: ofTenant() }),
  updateTenant: () => ({ as: admin, params: ofTenant(), body: { name: 'Renamed' } }),
  deleteTenant: async () => ({ as: admin, params: { tenant_id: (await newTenant(admin)).tenant_id } }),
  createQuote: () => ({ as: house.owner, params: ofTenant(), body: { plan: 'team' } }),
  listUsers: () => ({ as: house.owner, params: ofTenant() }),
  createUser: () => ({
    as: house.owner,
    params: ofTenant(),
    body: { email: 'new@example.org', password: PASSWORD, role: 'author' },
  }),
  showUser: () => ({ as: house.owner, params: pathOf(house.author) }),
  'updateUser its name': () => change({ name: 'A name' }),
  'updateUser its role': () => change({ role: 'reader' }),
  'updateUser its password': () => change({ password: 'another horse' }),
  'updateUser its email': () => change({ email: 'moved@example.org' }),
  deleteUser: async () => ({ as: house.owner, params: pathOf(await member()) }),
  listBlogs: () => ({ as: house.author, params: pathOf(house.author) }),
  createBlog: () => ({ as: house.author, params: pathOf(house.author), body: { title: 'A blog' } }),
  showBlog: async () => ({ as: house.author, params: await ownBlog() }),
  updateBlog: async () => ({ as: house.author, params: await ownBlog(), body: { title: 'Renamed' } }),
  deleteBlog: async () => ({ as: house.author, params: await ownBlog() }),
  'listPosts 20 of 1 KB': async () => ({ as: house.author, params: { blog_id: await blogOf(20) } }),
  createPost: () => publish(),
  'createPost of 3 KB': () => publish('x'.repeat(2_500)),
  "createPost in somebody else's blog": () => ({ ...publish(), as: house.owner }),
  'createPost under an idempotency key': () => publish('Words', { 'idempotency-key': 'a-key' }),
  'createPost under that key again': () => publish('Words', { 'idempotency-key': 'a-key' }),
  showPost: () => ({ as: house.author, params: ofPost() }),
  updatePost: () => ({ as: house.author, params: ofPost(), body: { title: 'Renamed' } }),
  deletePost: async () => ({ as: house.author, params: { ...ofBlog(), post_id: (await newPost(house.author, blog.id)).id } }),
  'listComments by the post': () => ({ as: house.reader, params: { post_id: post.id } }),
  'listComments by the blog and the post': () => ({ as: house.reader, params: ofPost() }),
  'createComment by the post': () => ({ as: house.reader, params: { post_id: post.id }, body: { body: 'Well said' } }),
  'createComment by the blog and the post': () => ({ as: house.reader, params: ofPost(), body: { body: 'Well said' } }),
  'deleteComment by the post': async () => ({ as: house.reader, params: { post_id: post.id, ...(await comment()) } }),
  'deleteComment by the blog and the post': async () => ({ as: house.reader, params: { ...ofPost(), ...(await comment()) } }),
  login: async () => credentials(await member()),
  'login with its tenant': async () => ({ body: { ...credentials(await member()).body, tenant_id: house.tenant_id } }),
  'login with a wrong password': async () => credentials(await member(), 'a wrong horse'),
  createSession: async () => credentials(await member()),
  deleteSessions: async () => ({ as: await member() }),
  showProfile: () => ({ as: house.author }),
  listApiKeys: () => ({ as: house.author }),
  createApiKey: () => ({ as: house.author, body: { name: 'A key' } }),
  deleteApiKey: async () => ({ as: house.author, params: await newKey() }),
}

const REFUSED = ['login with a wrong password']

describe('DynamoDB is asked for exactly', () => {
  test.each(ROWS.map((row) => [`${row.name} ${row.when}`.trim(), row] as const))('%s', async (label, row) => {
    const request = await REQUESTS[label]?.()
    const { result, bill } = await metered(() => call(row.name, request))
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
    for (const posts of [100, 5_000]) bills.push(await billsIn(await blogOf(posts), posts))
  }, 60_000)

  /** What people do in a blog, in its middle where there is one. */
  async function billsIn(blog_id: number, posts: number): Promise<Record<string, Bill>> {
    const as = house.author
    const middle = { as, params: { blog_id, post_id: posts / 2 } }
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
