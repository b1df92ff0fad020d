import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { routes } from '#tools/routes.ts'
import { type Answer, get, pages, patch, pathOf, post, remove, send, unserved } from './client.ts'
import {
  bodyOf,
  deleteTenants,
  logIn,
  logInAdmin,
  newBlog,
  newComment,
  newEmail,
  newKey,
  newPost,
  newTenant,
  newUser,
  PASSWORD,
  type Person,
  RUN,
} from './world.ts'

const CASCADE = { timeout: 10_000, interval: 250 }
const OPAQUE = /^[0-9a-f]{64}$/

const anId = expect.toSatisfy((value) => Number.isSafeInteger(value) && value > 0, 'an id')
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const stamps = { id: anId, created_at: aTime, updated_at: aTime, version: 1 }

const refusal = (status: number, error: unknown) => ({ status, body: { success: false, error } })
const unauthorized = { status: 401, body: { error: 'Unauthorized' } }
const forbidden = refusal(403, 'Forbidden')
const notFound = refusal(404, 'Not found')
const gone = { status: 204, body: undefined }

/** An answer without its headers, which the client has checked. */
const seen = ({ status, body }: Answer) => ({ status, body })

/** Waits until what the contract makes asynchronous has happened. */
const eventually = (path: string, as: string) => expect.poll(async () => seen(await get(path, { as })), CASCADE)

let admin: string
let tenant: number
let owner: Person
let author: Person
let reader: Person
let stranger: Person
let blog: number
let postId: number
let comment: number
let key: number

beforeAll(async () => {
  admin = await logInAdmin()
  tenant = await newTenant(admin, 'north')
  const other = await newTenant(admin, 'south')
  owner = await newUser(admin, tenant, 'owner')
  author = await newUser(owner.token, tenant, 'author')
  reader = await newUser(owner.token, tenant, 'reader')
  stranger = await newUser(admin, other, 'owner')
  blog = await newBlog(author)
  postId = await newPost(author, blog)
  comment = await newComment(reader, postId)
  key = (await newKey(author, 'read')).id
})

afterAll(() => deleteTenants(admin))

const usersPath = () => `/tenants/${tenant}/users`
const blogsPath = () => `${usersPath()}/${author.id}/blogs`

describe('what is no route', () => {
  test.each([
    ['GET', ''],
    ['GET', '/nowhere'],
    ['PUT', '/tenants'],
    ['GET', '/tenants/1/blogs'],
    ['DELETE', '/profile'],
  ])('%s %s is a 404', async (method, path) => {
    expect(seen(await send(method, path, { as: owner.token }))).toEqual(notFound)
  })

  test.each(['0', '-1', '1.5', 'abc', '9007199254740992', '99999999999999999999'])('%s names no record', async (id) => {
    expect(seen(await get(`/blogs/${id}/posts`, { as: owner.token }))).toEqual(notFound)
  })
})

describe('POST /login and POST /sessions', () => {
  const credentials = () => ({ email: reader.email, password: PASSWORD, tenant_id: reader.tenant_id })
  const profile = () => ({ status: 200, body: { id: reader.id, email: reader.email, tenant_id: tenant, role: 'reader' } })
  const profileOf = async (token: string) => seen(await get('/profile', { as: token }))

  test('a login as JSON or as a form gives a token; an opaque one replaces the one before', async () => {
    const before = reader.token
    const form = new URLSearchParams({ ...credentials(), tenant_id: String(tenant) })
    const { status, body } = await post('/login', { body: form })
    expect({ status, body }).toEqual({ status: 200, body: { token: expect.any(String) } })
    expect(await profileOf(body.token)).toEqual(profile())
    expect(await profileOf(before)).toEqual(OPAQUE.test(before) ? unauthorized : profile())
    expect(OPAQUE.test(body.token)).toBe(OPAQUE.test(before))
    reader.token = body.token
  })

  test('a session is a JWT with the header and the claims of the specification, beside the opaque token', async () => {
    const { jwt } = bodyOf(200, await post('/sessions', { body: credentials() }))
    const [header, claims] = jwt.split('.').map((part: string) => Buffer.from(part, 'base64url').toString())
    expect(header).toBe('{"alg":"HS256","typ":"JWT"}')
    expect(JSON.parse(claims)).toEqual({ user_id: reader.id, exp: expect.any(Number) })
    expect(JSON.parse(claims).exp).toBeGreaterThan(Date.now() / 1000)
    expect(await profileOf(jwt)).toEqual(profile())
    expect(await profileOf(reader.token)).toEqual(profile())
  })

  test.each(['/login', '/sessions'])('%s refuses wrong credentials, missing ones and those of the wrong type', async (path) => {
    const wrong = { ...credentials(), password: 'not the password' }
    const nobody = { ...credentials(), email: newEmail('nobody') }
    expect(seen(await post(path, { body: wrong }))).toEqual({ status: 401, body: { error: 'Invalid credentials' } })
    expect(seen(await post(path, { body: nobody }))).toEqual({ status: 401, body: { error: 'Invalid credentials' } })
    expect(seen(await post(path, { body: {} }))).toEqual(refusal(400, 'param is missing or the value is empty: email, password'))
    expect(await post(path, { body: { ...wrong, password: 1 } })).toMatchObject(refusal(422, ['Password must be a string']))
  })

  test('no token that is missing, unknown, forged or expired is let in', async () => {
    const { jwt } = bodyOf(200, await post('/sessions', { body: credentials() }))
    const [header, claims, signature] = jwt.split('.')
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    const late = Buffer.from(JSON.stringify({ user_id: reader.id, exp: 4_102_444_800 })).toString('base64url')
    const forged = [
      `${none}.${claims}.`,
      `${none}.${claims}.${signature}`,
      `${header}.${late}.${signature}`,
      `${header}.${claims}`,
    ]
    for (const token of [undefined, 'x', '0'.repeat(64), reader.token.slice(1), ...forged])
      expect(await get('/profile', { as: token }).then(seen)).toEqual(unauthorized)
    expect(await profileOf(jwt)).toEqual(profile())
  })

  test('DELETE /sessions ends the tokens of both kinds, and nobody else is logged out', async () => {
    const { jwt } = bodyOf(200, await post('/sessions', { body: credentials() }))
    expect(seen(await remove('/sessions', { as: jwt }))).toEqual(gone)
    expect(await profileOf(jwt)).toEqual(unauthorized)
    expect(await profileOf(reader.token)).toEqual(unauthorized)
    expect(await profileOf(author.token)).toMatchObject({ status: 200, body: { id: author.id } })
    reader.token = await logIn(reader)
    expect(await profileOf(reader.token)).toEqual(profile())
  })
})

describe('tenants', () => {
  test('an admin creates, shows, renames and lists them; an owner sees its own alone', async () => {
    const name = `${RUN} ${randomUUID()}`
    const first = bodyOf(200, await get(`/tenants/${tenant}`, { as: admin })).tenant
    const since = new Date(Date.parse(first.created_at) - 1).toISOString()
    const made = await post('/tenants', { as: admin, body: { name } })
    const id = made.body.tenant.id
    expect(seen(made)).toEqual({ status: 201, body: { success: true, tenant: { ...stamps, name } } })
    try {
      expect(seen(await get(pathOf(made.headers.get('location') ?? ''), { as: admin }))).toEqual({ status: 200, body: made.body })
      const renamed = await patch(`/tenants/${id}`, { as: admin, body: { name: `${name}!` } })
      expect(seen(renamed)).toMatchObject({ status: 200, body: { success: true, tenant: { id, name: `${name}!`, version: 2 } } })
      const listed = (await pages(`/tenants?limit=2&created_after=${since}`, admin)).flatMap(({ body }) =>
        body.tenants.map((each: Person) => each.id),
      )
      expect(listed).toEqual(expect.arrayContaining([id, tenant, stranger.tenant_id]))
      expect(new Set(listed).size).toBe(listed.length)
    } finally {
      expect(seen(await remove(`/tenants/${id}`, { as: admin }))).toEqual(gone)
    }
    expect(seen(await get(`/tenants/${id}`, { as: admin }))).toEqual(notFound)
    expect(seen(await get('/tenants', { as: owner.token }))).toEqual(forbidden)
    expect(await get(`/tenants/${tenant}`, { as: owner.token })).toMatchObject({ status: 200, body: { tenant: { id: tenant } } })
  })
})

describe('users', () => {
  test('an owner creates, shows, updates and deletes one; its email is its own; its tokens end with it', async () => {
    const body = { email: newEmail('Ada').toUpperCase(), password: PASSWORD, name: 'Ada' }
    const made = await post(usersPath(), { as: owner.token, body })
    const user = { ...stamps, tenant_id: tenant, email: body.email.toLowerCase(), name: 'Ada', role: 'author' }
    expect(seen(made)).toEqual({ status: 201, body: { success: true, user } })
    const path = pathOf(made.headers.get('location') ?? '')
    const token = await logIn(made.body.user)

    expect(seen(await get(path, { as: token }))).toEqual({ status: 200, body: made.body })
    expect(seen(await post(usersPath(), { as: owner.token, body }))).toEqual(refusal(409, 'Conflict'))
    const renamed = await patch(path, { as: token, body: { name: 'Ada L.' } })
    expect(renamed).toMatchObject({ status: 200, body: { user: { name: 'Ada L.', version: 2 } } })
    expect(seen(await patch(path, { as: token, body: { role: 'owner' } }))).toEqual(forbidden)
    expect(seen(await remove(path, { as: owner.token }))).toEqual(gone)
    expect(seen(await get('/profile', { as: token }))).toEqual(unauthorized)
    expect(seen(await get(path, { as: owner.token }))).toEqual(notFound)
  })

  test('members see each other without emails, and no digest or token ever', async () => {
    const asOwner = await pages(`${usersPath()}?limit=2`, owner.token)
    const asReader = await pages(`${usersPath()}?limit=2`, reader.token)
    const ids = (answers: Answer[]) => answers.flatMap(({ body }) => body.users.map((user: Person) => user.id))
    expect(ids(asOwner)).toEqual([reader.id, author.id, owner.id])
    expect(ids(asReader)).toEqual([reader.id, author.id, owner.id])
    expect(JSON.stringify(asReader.map(({ body }) => body))).not.toContain(author.email)
    expect(JSON.stringify(asOwner.map(({ body }) => body))).not.toMatch(/password|digest|token/)
  })
})

describe('blogs', () => {
  test('an author creates, shows, updates, lists and deletes one', async () => {
    const made = await post(blogsPath(), { as: author.token, body: { title: 'Engines', description: 'Notes' } })
    const created = { ...stamps, tenant_id: tenant, user_id: author.id, title: 'Engines', description: 'Notes' }
    expect(seen(made)).toEqual({ status: 201, body: { success: true, blog: created } })
    const path = pathOf(made.headers.get('location') ?? '')
    expect(seen(await get(path, { as: reader.token }))).toEqual({ status: 200, body: made.body })
    const renamed = await patch(path, { as: author.token, body: { title: 'Looms' } })
    expect(renamed).toMatchObject({ status: 200, body: { blog: { title: 'Looms', description: 'Notes', version: 2 } } })
    const listed = await get(blogsPath(), { as: reader.token })
    expect(listed.body).toMatchObject({ success: true, blogs: [{ title: 'Looms' }, { id: blog }], next_cursor: null })
    expect(seen(await patch(path, { as: reader.token, body: { title: 'x' } }))).toEqual(forbidden)
    expect(seen(await remove(path, { as: author.token }))).toEqual(gone)
    expect(seen(await get(path, { as: author.token }))).toEqual(notFound)
  })
})

describe('posts', () => {
  test('an author publishes, shows, updates and deletes one', async () => {
    const text = { title: 'Hello, 世界 👋', body: '<b>\u0000 and "quotes" \\ survive</b>\n' }
    const made = await post(`/blogs/${blog}/posts`, { as: author.token, body: text })
    expect(seen(made)).toEqual({ status: 201, body: { ...stamps, blog_id: blog, user_id: author.id, ...text } })
    const path = pathOf(made.headers.get('location') ?? '')
    expect(seen(await get(path, { as: reader.token }))).toEqual({ status: 200, body: made.body })
    const renamed = await patch(path, { as: author.token, body: { title: 'Hello' } })
    expect(renamed).toMatchObject({ status: 200, body: { title: 'Hello', body: text.body, version: 2 } })
    expect(seen(await post(`/blogs/${blog}/posts`, { as: reader.token, body: text }))).toEqual(forbidden)
    expect(seen(await remove(path, { as: author.token }))).toEqual(gone)
    expect(seen(await get(path, { as: author.token }))).toEqual(notFound)
  })

  test('a list goes on to its end in both orders, and in a range of times', async () => {
    const archive = await newBlog(author)
    const dates = [1, 2, 3, 4, 5, 6, 7].map((day) => `2004-03-0${day}T12:00:00.000Z`)
    await Promise.all(dates.map((created_at) => newPost(author, archive, { title: created_at, created_at })))
    const read = async (query: string) =>
      (await pages(`/blogs/${archive}/posts?${query}`, reader.token)).map(({ body }) =>
        body.posts.map((each: { created_at: string }) => each.created_at),
      )
    const newest = await read('limit=3')
    expect(newest.flat()).toEqual(dates.toReversed())
    expect(newest.length).toBeGreaterThanOrEqual(3)
    expect(Math.max(...newest.map((page) => page.length))).toBeLessThanOrEqual(3)
    expect((await read('limit=2&order=asc')).flat()).toEqual(dates)
    expect((await read(`created_after=${dates[1]}&created_before=${dates[5]}&limit=2`)).flat()).toEqual(
      dates.slice(2, 5).toReversed(),
    )
  })

  test('a list refuses a cursor that it did not give out, and a limit beyond its own', async () => {
    const path = `/blogs/${blog}/posts`
    expect(seen(await get(`${path}?cursor=abc`, { as: reader.token }))).toEqual(refusal(400, 'Cursor is invalid'))
    expect(await get(`${path}?limit=101`, { as: reader.token })).toMatchObject(refusal(422, ['Limit must be between 1 and 100']))
  })
})

describe('comments', () => {
  test.each([
    ['the short path', () => `/posts/${postId}/comments`],
    ['the path with the blog', () => `/blogs/${blog}/posts/${postId}/comments`],
  ])('are added, listed and deleted under %s', async (_form, path) => {
    const made = await post(path(), { as: reader.token, body: { body: 'Quite so' } })
    const { updated_at: _none, ...created } = { ...stamps, post_id: postId, user_id: reader.id, body: 'Quite so' }
    expect(seen(made)).toEqual({ status: 201, body: { success: true, comment: created } })
    expect(made.headers.get('location')).toBe(`/api/v1/posts/${postId}/comments/${made.body.comment.id}`)
    const listed = (await pages(`${path()}?limit=1`, author.token)).flatMap(({ body }) => body.comments)
    expect(listed).toEqual([expect.objectContaining({ id: comment }), made.body.comment])
    expect(seen(await remove(`${path()}/${made.body.comment.id}`, { as: reader.token }))).toEqual(gone)
    expect(seen(await remove(`${path()}/${made.body.comment.id}`, { as: reader.token }))).toEqual(notFound)
  })

  test('are not found under another blog', async () => {
    const other = await newBlog(author)
    expect(seen(await get(`/blogs/${other}/posts/${postId}/comments`, { as: author.token }))).toEqual(notFound)
  })
})

describe('API keys', () => {
  const loginWanted = refusal(401, 'require_login')

  test('act as their user within their scope, and end when they are deleted', async () => {
    const reading = await newKey(author, 'read')
    const writing = await newKey(author, 'write')
    expect(reading.token).toMatch(/^mh_[0-9a-f]{64}$/)
    const path = `/blogs/${blog}/posts`
    const text = { title: 'By a key', body: 'Words' }
    expect(await get(path, { as: reading.token })).toMatchObject({ status: 200, body: { success: true } })
    expect(seen(await post(path, { as: reading.token, body: text }))).toEqual(forbidden)
    expect(await post(path, { as: writing.token, body: text })).toMatchObject({ status: 201, body: { user_id: author.id } })
    expect(seen(await post('/profile/keys', { as: writing.token, body: { name: 'x' } }))).toEqual(loginWanted)
    expect(seen(await remove('/sessions', { as: writing.token }))).toEqual(loginWanted)

    const listed = (await pages('/profile/keys?limit=2', author.token)).flatMap(({ body }) => body.keys)
    expect(listed.map(({ id }: { id: number }) => id).sort()).toEqual([key, reading.id, writing.id].sort())
    expect(JSON.stringify(listed)).not.toMatch(/mh_|digest/)
    expect(seen(await remove(`/profile/keys/${writing.id}`, { as: author.token }))).toEqual(gone)
    expect(seen(await get(path, { as: writing.token }))).toEqual(unauthorized)
    expect(seen(await remove(`/profile/keys/${writing.id}`, { as: author.token }))).toEqual(notFound)
    expect((await get(path, { as: reading.token })).status).toBe(200)
  })
})

describe('quotes', () => {
  test('an owner hears what a plan costs; an unknown discount is refused', async () => {
    const path = `/tenants/${tenant}/quotes`
    const { success, quote } = bodyOf(201, await post(path, { as: owner.token, body: { plan: 'team' } }))
    expect({ success, quote }).toEqual({
      success: true,
      quote: {
        plan: 'team',
        price_cents: expect.any(Number),
        discount_cents: 0,
        total_cents: quote.price_cents,
        currency: expect.stringMatching(/^[A-Z]{3}$/),
        discount: null,
      },
    })
    const unknown = await post(path, { as: owner.token, body: { plan: 'team', discount: `${RUN}-none` } })
    expect(unknown).toMatchObject(refusal(422, 'Unrecognized discount code'))
    expect(seen(await post(path, { as: author.token, body: { plan: 'team' } }))).toEqual(forbidden)
  })
})

describe('a request that is wrong', () => {
  const path = () => `/blogs/${blog}/posts`
  const large = JSON.stringify({ title: 'x', body: 'x'.repeat(1_100_000) })

  test.each([
    ['with a key missing', { body: { title: 'x' } }, refusal(400, 'param is missing or the value is empty: body')],
    ['with no body', {}, refusal(400, 'param is missing or the value is empty: title, body')],
    ['with broken JSON', { body: '{"title":' }, refusal(400, 'Request body is not a JSON object')],
    ['with JSON that is no object', { body: '[1]' }, refusal(400, 'Request body is not a JSON object')],
    ['of another type', { body: 'x', headers: { 'content-type': 'text/plain' } }, refusal(415, 'Unsupported media type')],
    ['that is too large', { body: large }, refusal(413, 'Request body is too large')],
  ])('is refused %s', async (_why, sent, expected) => {
    expect(seen(await post(path(), { as: author.token, ...sent }))).toEqual(expected)
  })

  test('hears every broken rule at once, each with its field', async () => {
    const { status, body } = await post(path(), { as: author.token, body: { title: ' ', body: 7 } })
    const messages = ["Title can't be blank", 'Body must be a string']
    const details = ['title', 'body'].map((field, index) => ({ field, code: expect.any(String), message: messages[index] }))
    expect({ status, body }).toEqual({ status: 422, body: { success: false, error: messages, details } })
  })
})

describe('a retry and a lost update', () => {
  const path = () => `/blogs/${blog}/posts`

  test('a create that is sent again under its key is done once', async () => {
    const once = { as: author.token, headers: { 'idempotency-key': randomUUID() }, body: { title: 'Once', body: 'Only' } }
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post(path(), once)))
    const [first] = answers
    expect(first?.status).toBe(201)
    for (const answer of answers) expect(seen(answer)).toEqual(seen(first as Answer))
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(4)
    const { posts } = bodyOf(200, await get(`${path()}?limit=100`, { as: author.token }))
    expect(posts.filter(({ title }: { title: string }) => title === 'Once')).toHaveLength(1)
    const another = await post(path(), { ...once, body: { title: 'Twice', body: 'Only' } })
    expect(another).toMatchObject(refusal(422, 'Idempotency key was used with another request'))
  })

  test('a reader that has the record gets a 304, and of five writers on one version one gets through', async () => {
    const record = `${path()}/${await newPost(author, blog)}`
    const etag = (await get(record, { as: reader.token })).headers.get('etag') ?? ''
    expect(etag).toMatch(/^".+"$/)
    const unchanged = await get(record, { as: reader.token, headers: { 'if-none-match': etag } })
    expect({ ...seen(unchanged), etag: unchanged.headers.get('etag') }).toEqual({ status: 304, body: undefined, etag })

    const write = (title: string) => patch(record, { as: author.token, headers: { 'if-match': etag }, body: { title } })
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(write))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412])
    expect(answers.filter(({ status }) => status === 412).map(seen)).toEqual(Array(4).fill(refusal(412, 'Precondition failed')))

    const changed = await get(record, { as: reader.token, headers: { 'if-none-match': etag } })
    expect(changed).toMatchObject({ status: 200, body: { version: 2 } })
    expect(changed.headers.get('etag')).not.toBe(etag)
    const removal = { as: author.token, headers: { 'if-match': etag } }
    expect(seen(await remove(record, removal))).toEqual(refusal(412, 'Precondition failed'))
  })
})

describe('each route', () => {
  const PUBLIC = ['login', 'createSession']
  const protectedRoutes = routes().filter(({ name }) => !PUBLIC.includes(name))

  /** What every route that wants a body finds its fields in. */
  const anyBody = () => ({
    name: 'x',
    title: 'x',
    body: 'x',
    description: 'x',
    email: newEmail('x'),
    password: PASSWORD,
    scope: 'read',
    plan: 'team',
  })

  /** The route's path to the records of the first tenant. */
  function pathTo(path: string): string {
    const ids: Record<string, number> = {
      tenant_id: tenant,
      user_id: author.id,
      blog_id: blog,
      post_id: postId,
      comment_id: comment,
      key_id: key,
    }
    return pathOf(path).replace(/{(\w+)}/g, (_, name: string) => {
      if (ids[name] === undefined) throw new Error(`The smoke suite knows no ${name}: give it one.`)
      return String(ids[name])
    })
  }

  const ask = (method: string, path: string, as?: string) =>
    send(method, pathTo(path), { as, ...(method !== 'GET' && method !== 'DELETE' && { body: anyBody() }) })

  test.each(protectedRoutes)('$method $path wants a token', async ({ method, path }) => {
    expect(seen(await ask(method, path))).toEqual(unauthorized)
  })

  test.each(protectedRoutes.filter(({ params }) => params.length > 0))(
    '$method $path shows nothing to another tenant, and changes nothing',
    async ({ method, path }) => {
      expect(seen(await ask(method, path, stranger.token))).toEqual(notFound)
    },
  )

  test('the first tenant is as it was', async () => {
    const before = { status: 200, body: { version: 1 } }
    expect(await get(`/blogs/${blog}/posts/${postId}`, { as: reader.token })).toMatchObject(before)
    expect((await get(`${blogsPath()}/${blog}`, { as: reader.token })).body).toMatchObject({ blog: { version: 1 } })
    expect((await get(`${usersPath()}/${author.id}`, { as: owner.token })).body).toMatchObject({ user: { version: 1 } })
    expect((await get(`/tenants/${tenant}`, { as: owner.token })).body).toMatchObject({ tenant: { version: 1 } })
    expect((await get(`/posts/${postId}/comments`, { as: owner.token })).body.comments).toMatchObject([{ id: comment }])
  })
})

describe('a delete', () => {
  test('of a blog takes its posts at once, and their comments within seconds', async () => {
    expect(seen(await remove(`${blogsPath()}/${blog}`, { as: author.token }))).toEqual(gone)
    expect(seen(await get(`/blogs/${blog}/posts`, { as: author.token }))).toEqual(notFound)
    expect(seen(await get(`/blogs/${blog}/posts/${postId}`, { as: author.token }))).toEqual(notFound)
    await eventually(`/posts/${postId}/comments`, author.token).toEqual(notFound)
  })

  test('of a user takes its token at once, and what is below its blogs within seconds', async () => {
    const writer = await newUser(owner.token, tenant, 'author')
    const own = await newBlog(writer)
    const written = await newPost(writer, own)
    await newComment(owner, written)
    expect(seen(await remove(`${usersPath()}/${writer.id}`, { as: owner.token }))).toEqual(gone)
    expect(seen(await get('/profile', { as: writer.token }))).toEqual(unauthorized)
    expect(seen(await get(`${usersPath()}/${writer.id}/blogs`, { as: owner.token }))).toEqual(notFound)
    await eventually(`/blogs/${own}/posts`, owner.token).toEqual(notFound)
    await eventually(`/posts/${written}/comments`, owner.token).toEqual(notFound)
  })

  test('of a tenant locks its people out within seconds, and leaves the other tenant alone', async () => {
    const { jwt } = bodyOf(200, await post('/sessions', { body: { email: author.email, password: PASSWORD, tenant_id: tenant } }))
    expect(seen(await remove(`/tenants/${tenant}`, { as: owner.token }))).toEqual(gone)
    expect(seen(await get(`/tenants/${tenant}`, { as: admin }))).toEqual(notFound)
    for (const token of [owner.token, author.token, reader.token, jwt]) await eventually('/profile', token).toEqual(unauthorized)
    const login = await post('/login', { body: { email: owner.email, password: PASSWORD } })
    expect(seen(login)).toEqual({ status: 401, body: { error: 'Invalid credentials' } })
    expect(await get('/profile', { as: stranger.token })).toMatchObject({ status: 200, body: { id: stranger.id } })
  })
})

test('every route of serverless.yml has answered with a success', () => {
  expect(unserved()).toEqual([])
})

test('the admin of the run is still logged in', async () => {
  expect(await get('/profile', { as: admin })).toMatchObject({
    status: 200,
    body: { email: inject('service').email, role: 'admin' },
  })
})
