import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { EPOCH_MS, firstIdAt, newborn } from '#lib/ids.ts'
import { keys, type TenantId } from '#lib/table/keys.ts'
import { type CallRequest, call } from '#tests/support/call.ts'
import { tableClient } from '#tests/support/table.ts'
import {
  type House,
  newAdmin,
  newBlog,
  newComment,
  newEmail,
  newPost,
  newTenant,
  newUser,
  PASSWORD,
  type Person,
} from '#tests/support/world.ts'

const KILOBYTE = 'x'.repeat(900)

/** Somewhere to send requests of every kind to. */
export interface Stage {
  admin: Person
  house: House
  blog: { id: number }
  post: { id: number }
}

export async function newStage(): Promise<Stage> {
  const admin = await newAdmin()
  const house = await newTenant(admin)
  const blog = await newBlog(house.author)
  return { admin, house, blog, post: await newPost(house.author, blog.id) }
}

const BATCH = 25
/** How many batches are under way at once. */
const LANES = 4

/** The time of a loaded post, Unix milliseconds: one a millisecond, from the first instant that an id can have. */
export const loadedAt = (n: number): number => EPOCH_MS + n
export const loadedId = (n: number): number => firstIdAt(loadedAt(n))

/** The nth post of a blog as its create would have put it into the table: one of every millisecond. */
export function loadedPost({ house }: Stage, blog_id: number, n: number): Record<string, unknown> {
  const post = { ...newborn(loadedId(n), loadedAt(n)), blog_id, user_id: house.author.id, title: 'A post', body: KILOBYTE }
  return { ...post, ...keys.post(house.tenant_id as TenantId, blog_id, post.id), type: 'post', blog_user_id: house.author.id }
}

/** A blog with posts that went straight into the table. */
export async function blogOf(stage: Stage, posts: number): Promise<number> {
  const { id } = await newBlog(stage.house.author)
  for (let made = 0; made < posts; made += LANES * BATCH) {
    const lanes = Array.from({ length: LANES }, (_, lane) =>
      numbers(made + lane * BATCH + 1, Math.min(made + (lane + 1) * BATCH, posts)),
    )
    await Promise.all(lanes.filter(({ length }) => length > 0).map((lane) => putAll(lane.map((n) => loadedPost(stage, id, n)))))
  }
  return id
}

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n)

async function putAll(items: object[]): Promise<void> {
  const requests = items.map((Item) => ({ PutRequest: { Item } }))
  await tableClient().send(new BatchWriteCommand({ RequestItems: { [process.env.TABLE_NAME as string]: requests } }))
}

/** A request of each row of the table, by its name and its `when`: what it needs is made when it is asked for. */
export function requestsOn(stage: Stage): Record<string, () => CallRequest | Promise<CallRequest>> {
  const { admin, house, blog, post } = stage
  const ofTenant = () => ({ tenant_id: house.tenant_id })
  const ofBlog = () => ({ blog_id: blog.id })
  const ofPost = () => ({ ...ofBlog(), post_id: post.id })
  const member = async () => newUser(house.owner, house.tenant_id, 'author')
  const pathOf = ({ id, tenant_id }: Person) => ({ tenant_id, user_id: id })
  const credentials = ({ email }: Person, password = PASSWORD) => ({ body: { email, password } })

  const jwtOf = async (person: Person) => (await call('createSession', credentials(person))).body.jwt
  const change = async (body: object): Promise<CallRequest> => ({ as: house.owner, params: pathOf(await member()), body })
  const publish = (body = 'Words', headers = {}): CallRequest => ({
    as: house.author,
    params: ofBlog(),
    body: { title: 'A post', body },
    headers,
  })
  const ownBlog = async () => ({ ...pathOf(house.author), blog_id: (await newBlog(house.author)).id })
  const comment = async () => ({ comment_id: (await newComment(house.reader, post.id)).id })
  const newKey = async (as: Person) => ({ key_id: (await call('createApiKey', { as, body: { name: 'A key' } })).body.key.id })
  const emptyTenant = async () => ({
    tenant_id: (await call('createTenant', { as: admin, body: { name: 'Soon gone' } })).body.tenant.id,
  })
  return {
    listTenants: () => ({ as: admin }),
    createTenant: () => ({ as: admin, body: { name: 'Another' } }),
    showTenant: () => ({ as: admin, params: ofTenant() }),
    updateTenant: () => ({ as: admin, params: ofTenant(), body: { name: 'Renamed' } }),
    deleteTenant: async () => ({ as: admin, params: await emptyTenant() }),
    createQuote: () => ({ as: house.owner, params: ofTenant(), body: { plan: 'team' } }),
    listUsers: () => ({ as: house.owner, params: ofTenant() }),
    createUser: () => ({
      as: house.owner,
      params: ofTenant(),
      body: { email: newEmail(), password: PASSWORD, role: 'author' },
    }),
    showUser: () => ({ as: house.owner, params: pathOf(house.author) }),
    'updateUser its name': () => change({ name: 'A name' }),
    'updateUser its role': () => change({ role: 'reader' }),
    'updateUser its password': () => change({ password: 'another horse' }),
    'updateUser its email': () => change({ email: newEmail() }),
    deleteUser: async () => ({ as: house.owner, params: pathOf(await member()) }),
    listBlogs: () => ({ as: house.author, params: pathOf(house.author) }),
    createBlog: () => ({ as: house.author, params: pathOf(house.author), body: { title: 'A blog' } }),
    showBlog: async () => ({ as: house.author, params: await ownBlog() }),
    updateBlog: async () => ({ as: house.author, params: await ownBlog(), body: { title: 'Renamed' } }),
    deleteBlog: async () => ({ as: house.author, params: await ownBlog() }),
    'listPosts 20 of 1 KB': async () => ({ as: house.author, params: { blog_id: await blogOf(stage, 20) } }),
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
    'deleteSessions by a JWT': async () => ({ as: { token: await jwtOf(await member()) } }),
    showProfile: () => ({ as: house.author }),
    listApiKeys: () => ({ as: house.author }),
    createApiKey: async () => ({ as: await member(), body: { name: 'A key' } }),
    deleteApiKey: async () => {
      const as = await member()
      return { as, params: await newKey(as) }
    },
  }
}
