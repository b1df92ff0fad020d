import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CallRequest, call, contextFor, eventFor, type Handler } from '#tests/support/call.ts'
import { forge, inOneHour } from '#tests/support/jwt.ts'
import { type House, newAdmin, newBlog, newPost, newTenant, PASSWORD, type Person } from '#tests/support/world.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const READABLE = { 'cache-control': 'private, no-cache', vary: 'Authorization' }
const NO_STORE = { 'cache-control': 'no-store' }
const CHALLENGE = { 'www-authenticate': 'Bearer' }
const SAFE = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
}

const FILES: Record<string, () => Promise<{ handler: Handler }>> = {
  showProfile: () => import('#functions/auth/profile.ts'),
  login: () => import('#functions/auth/login.ts'),
  createSession: () => import('#functions/auth/sessions.ts'),
  listPosts: () => import('#functions/posts/list.ts'),
  createPost: () => import('#functions/posts/create.ts'),
  deletePost: () => import('#functions/posts/delete.ts'),
  showPost: () => import('#functions/posts/show.ts'),
  createUser: () => import('#functions/users/create.ts'),
  missing: () => import('#functions/missing.ts'),
}

/** Calls a handler in a context that the test knows. */
async function respond(name: string, request: CallRequest) {
  const { handler } = await (FILES[name] as () => Promise<{ handler: Handler }>)()
  const context = contextFor(name)
  const response = await handler(eventFor(name, request), context)
  return { ...response, requestId: context.awsRequestId }
}

let house: House
let blog: { id: number }
let post: { id: number }

beforeAll(async () => {
  house = await newTenant(await newAdmin())
  blog = await newBlog(house.author)
  post = await newPost(house.author, blog.id)
})

describe('a response has its headers and no others', () => {
  const inBlog = () => ({ as: house.author, params: { blog_id: blog.id } })

  test.each<[string, string, () => CallRequest, number, object]>([
    ['GET 200', 'showProfile', () => ({ as: house.author }), 200, { ...JSON_TYPE, ...READABLE, etag: '"1"' }],
    ['GET 200 of a list', 'listPosts', inBlog, 200, { ...JSON_TYPE, ...READABLE }],
    [
      'POST 201',
      'createPost',
      () => ({ ...inBlog(), body: { title: 'a', body: 'b' } }),
      201,
      { ...JSON_TYPE, ...NO_STORE, etag: '"1"', location: expect.stringMatching(/^\/api\/v1\/blogs\/\d+\/posts\/\d+$/) },
    ],
    [
      'POST 200 of a login',
      'login',
      () => ({ body: { email: house.other.email, password: PASSWORD } }),
      200,
      { ...JSON_TYPE, ...NO_STORE },
    ],
    ['POST 400', 'createPost', () => ({ ...inBlog(), body: '{' }), 400, { ...JSON_TYPE, ...NO_STORE }],
    ['GET 400', 'listPosts', () => ({ ...inBlog(), query: 'cursor=x' }), 400, { ...JSON_TYPE, ...NO_STORE }],
    ['GET 401', 'showProfile', () => ({}), 401, { ...JSON_TYPE, ...NO_STORE, ...CHALLENGE }],
    ['POST 401', 'login', () => ({ body: { email: 'a', password: 'b' } }), 401, { ...JSON_TYPE, ...NO_STORE, ...CHALLENGE }],
    ['POST 403', 'createPost', () => ({ as: house.reader, params: { blog_id: blog.id } }), 403, { ...JSON_TYPE, ...NO_STORE }],
    ['GET 404', 'listPosts', () => ({ as: house.author, params: { blog_id: 1 } }), 404, { ...JSON_TYPE, ...NO_STORE }],
    ['404 of no route', 'missing', () => ({}), 404, { ...JSON_TYPE, ...NO_STORE }],
    [
      'POST 409',
      'createUser',
      () => ({
        as: house.owner,
        params: { tenant_id: house.tenant_id },
        body: { email: house.author.email, password: PASSWORD },
      }),
      409,
      { ...JSON_TYPE, ...NO_STORE },
    ],
    ['POST 413', 'createPost', () => ({ ...inBlog(), body: 'x'.repeat(1_048_577) }), 413, { ...JSON_TYPE, ...NO_STORE }],
    [
      'POST 415',
      'createPost',
      () => ({ ...inBlog(), body: 'x', headers: { 'content-type': 'text/plain' } }),
      415,
      { ...JSON_TYPE, ...NO_STORE },
    ],
    ['POST 422', 'createPost', () => ({ ...inBlog(), body: { title: '', body: '' } }), 422, { ...JSON_TYPE, ...NO_STORE }],
    ['GET 422', 'listPosts', () => ({ ...inBlog(), query: 'limit=0' }), 422, { ...JSON_TYPE, ...NO_STORE }],
  ])('%s', async (_kind, name, request, status, headers) => {
    const made = await respond(name, request())
    expect({ status: made.statusCode, headers: made.headers }).toEqual({
      status,
      headers: { ...SAFE, ...headers, 'x-request-id': made.requestId },
    })
  })

  test('DELETE 204, which has no body and no content type', async () => {
    const { id } = await newPost(house.author, blog.id)
    const made = await respond('deletePost', { as: house.author, params: { blog_id: blog.id, post_id: id } })
    expect(made).toEqual({
      statusCode: 204,
      headers: { ...SAFE, ...NO_STORE, 'x-request-id': made.requestId },
      requestId: made.requestId,
    })
  })

  test('a list that goes on has a link to its next page', async () => {
    await newPost(house.author, blog.id)
    const made = await respond('listPosts', { as: house.author, params: { blog_id: blog.id }, query: 'limit=1&order=asc' })
    const { posts, next_cursor } = JSON.parse(made.body as string)
    expect(posts).toEqual([post])
    expect(made.headers).toEqual({
      ...SAFE,
      ...JSON_TYPE,
      ...READABLE,
      link: `</api/v1/blogs/${blog.id}/posts?limit=1&order=asc&cursor=${next_cursor}>; rel="next"`,
      'x-request-id': made.requestId,
    })
  })

  test("the request id is ours, whatever the client's was", async () => {
    const made = await respond('showProfile', { as: house.author, headers: { 'x-request-id': 'theirs' } })
    expect(made.headers['x-request-id']).toBe(made.requestId)
  })
})

describe('a failure that nobody expected', () => {
  const lines: string[] = []

  beforeEach(() => {
    vi.resetModules()
    lines.length = 0
    for (const level of ['debug', 'info', 'warn', 'error', 'log'] as const) {
      vi.spyOn(console, level).mockImplementation((...said) => void lines.push(said.join(' ')))
    }
  })

  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
    vi.resetModules()
  })

  const SOMETHING = '{"success":false,"error":"Something went wrong"}'

  const secrets = (): string[] => [PASSWORD, house.author.token, 'a title nobody may read', house.author.email]

  const failing: [string, string, () => CallRequest][] = [
    ['a login', 'login', () => ({ body: { email: house.author.email, password: PASSWORD } })],
    ['a session', 'createSession', () => ({ body: { email: house.author.email, password: PASSWORD } })],
    ['a read', 'showProfile', () => ({ as: house.author })],
    [
      'a write',
      'createPost',
      () => ({ as: house.author, params: { blog_id: blog.id }, body: { title: 'a title nobody may read', body: 'b' } }),
    ],
  ]

  test.each(failing)('in %s is a bare 500, and a line in the log without what was sent', async (_what, name, request) => {
    vi.stubEnv('TABLE_NAME', 'no-such-table')
    const made = await respond(name, request())
    expect(made).toEqual({
      statusCode: 500,
      headers: { ...SAFE, ...JSON_TYPE, ...NO_STORE, 'x-request-id': made.requestId },
      body: SOMETHING,
      requestId: made.requestId,
    })
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      level: 'error',
      request_id: made.requestId,
      error: { name: 'ResourceNotFoundException', stack: expect.any(String) },
    })
    for (const secret of secrets()) expect(lines[0]).not.toContain(secret)
  })

  test.each<[string, string, string, string]>([
    ['JWT_SECRET is missing', 'JWT_SECRET', '', 'JWT_SECRET is not set'],
    ['JWT_SECRET has 31 bytes', 'JWT_SECRET', 's'.repeat(31), 'JWT_SECRET must have at least 32 bytes'],
    ['JWT_SECRET_PREVIOUS is short', 'JWT_SECRET_PREVIOUS', 'a short secret', 'JWT_SECRET_PREVIOUS must have at least 32 bytes'],
    ['JWT_LIFETIME_SECONDS is no number', 'JWT_LIFETIME_SECONDS', 'a whole day', 'JWT_LIFETIME_SECONDS is malformed'],
    ['TOKEN_LIFETIME_SECONDS is negative', 'TOKEN_LIFETIME_SECONDS', '-86400', 'TOKEN_LIFETIME_SECONDS is malformed'],
    ['LOGIN_TOKEN is unknown', 'LOGIN_TOKEN', 'cookie monster', 'LOGIN_TOKEN is malformed'],
    ['BCRYPT_COST is too low', 'BCRYPT_COST', '3.14159', 'BCRYPT_COST is malformed'],
    ['LOG_LEVEL is unknown', 'LOG_LEVEL', 'verbose', 'LOG_LEVEL is malformed'],
    ['TABLE_NAME is missing', 'TABLE_NAME', '', 'TABLE_NAME is not set'],
  ])('stops each function where %s; the log names the variable and not its value', async (_when, variable, value, message) => {
    const requests: [string, CallRequest][] = [
      ['login', { body: { email: house.author.email, password: PASSWORD } }],
      ['createSession', { body: { email: house.author.email, password: PASSWORD } }],
      ['showProfile', { as: { token: forge({ payload: { user_id: house.author.id, exp: inOneHour() } }) } }],
      ['showProfile', { as: house.author }],
    ]
    vi.stubEnv(variable, value)
    const answers = await Promise.all(requests.map(([name, request]) => respond(name, request)))
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual(requests.map(() => [500, SOMETHING]))
    for (const line of lines) {
      expect(JSON.parse(line).error.message).toContain(message)
      if (value !== '') expect(line).not.toContain(value)
    }
    expect(lines).toHaveLength(requests.length)
  })

  test('is a 503 where the table cannot be reached, and says when to come again', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1')
    vi.stubEnv('LOG_LEVEL', 'info')
    const made = await respond('login', { body: { email: house.author.email, password: PASSWORD } })
    expect(made).toEqual({
      statusCode: 503,
      headers: { ...SAFE, ...JSON_TYPE, ...NO_STORE, 'retry-after': '1', 'x-request-id': made.requestId },
      body: '{"success":false,"error":"Service unavailable"}',
      requestId: made.requestId,
    })
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      level: 'warn',
      request_id: made.requestId,
      error: { stack: expect.any(String) },
    })
    for (const secret of secrets()) expect(lines[0]).not.toContain(secret)
  })

  test('does not stay: the next call finds everything as it was', async () => {
    expect(await call('showProfile', { as: house.author })).toMatchObject({ status: 200, body: { id: house.author.id } })
  })
})

describe('a refusal', () => {
  test.each<[string, string, (person: Person) => CallRequest]>([
    ['a malformed body', 'login', () => ({ body: `{"email":"a@b.c","password":"${PASSWORD}"` })],
    ['a wrong password', 'login', ({ email }) => ({ body: { email, password: 'wrong horse' } })],
    ['a wrong token', 'showProfile', () => ({ as: { token: 'nonsense' } })],
    ['a body that is too large', 'login', () => ({ body: 'x'.repeat(1_048_577) })],
  ])('of %s writes nothing to the log', async (_what, name, request) => {
    const lines: unknown[] = []
    vi.stubEnv('LOG_LEVEL', 'debug')
    for (const level of ['debug', 'info', 'warn', 'error', 'log'] as const) {
      vi.spyOn(console, level).mockImplementation((...said) => void lines.push(said))
    }
    const { status } = await call(name, request(house.author))
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    expect(status).toBeOneOf([400, 401, 413])
    expect(lines).toEqual([])
  })
})
