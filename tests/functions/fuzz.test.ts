import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Endpoint } from '#lib/http/endpoint.ts'
import { type CallRequest, type CallResponse, call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, PASSWORD, type Person } from '#tests/support/world.ts'
import { routes } from '#tools/routes.ts'

/** All properties together; `npm run fuzz` sets it to 20,000. A seed that found something is given by FUZZ_SEED. */
const CASES = Number(process.env.FUZZ_CASES ?? 2_000)
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_120)
const BATCH = 8

type Route = ReturnType<typeof routes>[number] & { spec: Endpoint['spec'] }

const load = async (route: ReturnType<typeof routes>[number]): Promise<Route> => ({
  ...route,
  spec: (await import(/* @vite-ignore */ `../../${route.handler.replace(/\.handler$/, '.ts')}`)).handler.spec,
})

const ROUTES = await Promise.all(routes().map(load))
const WITH_BODY = ROUTES.filter(({ spec }) => spec.body !== undefined)
const LISTS = ROUTES.filter(({ spec }) => spec.query !== undefined)
const WITH_PARAMS = ROUTES.filter(({ params }) => params.length > 0)
const share = (routes: unknown[], part: number): number => Math.max(10, Math.ceil((CASES * part) / routes.length))

let admin: Person
let house: House
let ids: Record<string, number>
let tried = 0

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  admin = await newAdmin()
  house = await newTenant(admin)
  const blog = await newBlog(house.owner)
  const post = await newPost(house.owner, blog.id)
  const comment = await newComment(house.owner, post.id)
  const { tenant_id, owner } = house
  ids = { tenant_id, user_id: owner.id, blog_id: blog.id, post_id: post.id, comment_id: comment.id, key_id: 5 }
})

/** What a good client may send, field by field, written down without a look at the schemas. */
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).map((text) => `x${text}`.slice(0, 180).toWellFormed())
const GOOD: Record<string, fc.Arbitrary<unknown>> = {
  title: word,
  name: word,
  body: word,
  description: fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => text.toWellFormed()),
  // New each time: an equal one would be a conflict, or a login.
  email: fc.constant(' ').map((space) => `${space}${randomUUID().toUpperCase()}@Example.org `),
  password: fc.constant(PASSWORD),
  role: fc.constantFrom('owner', 'author', 'reader'),
  scope: fc.constantFrom('read', 'write'),
  created_at: fc
    .date({ min: new Date('1994-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  expires_at: fc
    .date({ min: new Date('2050-01-01'), max: new Date('2060-01-01'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  plan: fc.constantFrom('team', 'business'),
  discount: fc.constantFrom('NONE', '__proto__', 'constructor'),
  tenant_id: fc.integer({ min: 2, max: 1_000_000 }),
}

/** What no field takes. */
const BAD = fc.oneof(
  fc.constantFrom(null, [], {}, true, 0, -1, 1.5, 1e308, '\ud800', 'x\udfff'),
  fc.constant('\u{1f4a9}'.repeat(400_000)).map((text) => text.slice(0, 640_000)),
  fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
  fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
)

const good = (name: string): fc.Arbitrary<unknown> => {
  const arbitrary = GOOD[name]
  if (!arbitrary) throw new Error(`No values for ${name}: a new field needs some here`)
  return arbitrary
}

const fieldsOf = ({ spec }: Route): string[] => Object.keys(spec.body?.shape ?? {})
const requiredOf = (route: Route): string[] =>
  fieldsOf(route).filter((name) => route.spec.body?.shape[name]?._zod.optin === undefined)

/** A body with all that is required, and at least one field. */
const goodBody = (route: Route): fc.Arbitrary<Record<string, unknown>> => {
  const required = requiredOf(route)
  const [first = ''] = fieldsOf(route)
  return fc.record(Object.fromEntries(fieldsOf(route).map((name) => [name, good(name)])), {
    requiredKeys: required.length > 0 ? required : [first],
  })
}

const request = (route: Route, more: CallRequest = {}): Promise<CallResponse> => {
  const params = Object.fromEntries(route.params.map((name) => [name, ids[name] as number]))
  tried++
  return call(route.name, {
    as: route.path.includes('/tenants/') || route.path.endsWith('/tenants') ? admin : house.owner,
    params,
    ...more,
  })
}

/** Runs a property a few cases at a time: a case waits mostly for the engine. */
function forAll<T>(arbitrary: fc.Arbitrary<T>, runs: number, holds: (value: T) => Promise<void>): Promise<void> {
  const batch = fc.array(arbitrary, { minLength: BATCH, maxLength: BATCH })
  const property = fc.asyncProperty(batch, async (values) => void (await Promise.all(values.map(holds))))
  return fc.assert(property, { numRuns: Math.ceil(runs / BATCH), seed: SEED, endOnFailure: true })
}

/** Every answer of the service keeps to its form, whatever it was asked. */
function expectForm({ status, body, headers }: CallResponse): void {
  expect([200, 201, 204, 304, 400, 401, 403, 404, 409, 412, 413, 415, 422]).toContain(status)
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) })
  if (status >= 400) expect(body).toMatchObject({ error: expect.anything() })
}

// Nobody has the email of a login, a user has twenty keys at most, and no discount code is one: those answers are good ones here.
const SATISFIED: Record<string, number[]> = {
  login: [401],
  createSession: [401],
  createApiKey: [201, 422],
  createQuote: [201, 422],
}

describe('every body', () => {
  test.each(WITH_BODY.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s takes what is good',
    async (_title, route) => {
      await forAll(goodBody(route), share(WITH_BODY, 0.25), async (body) => {
        const as = route.name === 'updateUser' ? { params: { tenant_id: house.tenant_id, user_id: house.reader.id } } : {}
        const answer = await request(route, { body, ...as })
        expectForm(answer)
        expect(SATISFIED[route.name] ?? [route.spec.status]).toContain(answer.status)
      })
    },
  )

  test.each(WITH_BODY.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses what is not',
    async (_title, route) => {
      const mutated = fc
        .tuple(goodBody(route), fc.constantFrom(...fieldsOf(route)), BAD)
        .map(([body, name, value]) => ({ ...body, [name]: value }))
      await forAll(mutated, share(WITH_BODY, 0.25), async (body) => {
        const answer = await request(route, { body })
        expectForm(answer)
        // A login that fits nobody is a 401, whatever its form.
        expect(SATISFIED[route.name] ? [401, 413, 422] : [413, 422]).toContain(answer.status)
      })
    },
  )

  test.each(WITH_BODY.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s names what is missing',
    async (_title, route) => {
      const required = requiredOf(route)
      const partial = fc.tuple(goodBody(route), fc.subarray(required, { minLength: Math.min(1, required.length) }))
      await forAll(partial, share(WITH_BODY, 0.1), async ([body, dropped]) => {
        const left = Object.fromEntries(Object.entries(body).filter(([name]) => required.length > 0 && !dropped.includes(name)))
        const names = required.length > 0 ? required.filter((name) => dropped.includes(name)) : fieldsOf(route)
        const answer = await request(route, { body: left })
        expect(answer).toMatchObject({
          status: 400,
          body: { success: false, error: `param is missing or the value is empty: ${names.join(', ')}` },
        })
      })
    },
  )

  test.each(WITH_BODY.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s survives any bytes',
    async (_title, route) => {
      const bytes = fc.oneof(
        fc.json().map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
        fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      )
      const type = fc.constantFrom(
        'application/json',
        'application/json; charset=x',
        'application/x-www-form-urlencoded',
        'text/plain',
        '',
      )
      await forAll(fc.tuple(bytes, type), share(WITH_BODY, 0.2), async ([body, contentType]) => {
        const answer = await request(route, { body, headers: { 'content-type': contentType } })
        expectForm(answer)
        expect(answer.status).not.toBe(500)
      })
    },
  )
})

describe('everything around a body', () => {
  test.each(LISTS.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s answers any query with a page, a 400 or a 422',
    async (_title, route) => {
      const value = fc.oneof(
        fc.string(),
        fc.constantFrom('1', '100', '101', 'asc', 'desc', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59+14:00'),
      )
      const name = fc.constantFrom('limit', 'order', 'cursor', 'created_after', 'created_before', 'x')
      await forAll(fc.array(fc.tuple(name, value), { maxLength: 4 }), share(LISTS, 0.1), async (pairs) => {
        const answer = await request(route, { query: new URLSearchParams(pairs).toString() })
        expectForm(answer)
        expect([200, 400, 422]).toContain(answer.status)
      })
    },
  )

  test.each(WITH_PARAMS.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s knows no record of another name',
    async (_title, route) => {
      const name = fc.constantFrom(...route.params)
      const junk = fc.oneof(
        fc.string({ minLength: 1 }),
        fc.integer().map(String),
        fc.constantFrom('0', '01', '1e3', '9007199254740993', '%00', '..', '__proto__'),
      )
      await forAll(fc.tuple(name, junk), share(WITH_PARAMS, 0.1), async ([param, value]) => {
        const params = { ...Object.fromEntries(route.params.map((each) => [each, ids[each] as number])), [param]: value }
        const answer = await request(route, { params, body: route.method === 'GET' ? undefined : {} })
        expectForm(answer)
        expect([400, 404]).toContain(answer.status)
      })
    },
  )

  test.each(
    WITH_PARAMS.filter(({ method }) => method === 'GET').map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s takes no token but a good one, and any other header', async (_title, route) => {
    const text = fc.string({ unit: 'binary-ascii', maxLength: 120 })
    const names = fc.constantFrom(
      'authorization',
      'if-none-match',
      'if-match',
      'idempotency-key',
      'content-type',
      'x-forwarded-for',
    )
    await forAll(fc.tuple(names, text), share(WITH_PARAMS, 0.05), async ([name, value]) => {
      const answer = await request(route, { headers: { [name]: value } })
      expectForm(answer)
      expect(answer.status).toBe(name === 'authorization' ? 401 : 200)
    })
  })

  test('that many cases were tried', () => {
    console.info(`${tried} cases tried, none a 500 (seed ${SEED})`)
    expect(tried).toBeGreaterThanOrEqual(CASES)
  })
})
