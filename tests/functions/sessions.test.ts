import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { call } from '#tests/support/call.ts'
import { HEADER, read } from '#tests/support/jwt.ts'
import { type House, logIn, newAdmin, newTenant, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

const LIFETIME = 86_400
const NEW_PASSWORD = 'another horse'

let admin: Person
let house: House

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

const newMember = (): Promise<Person> => newUser(admin, house.tenant_id, 'author')

async function newSession({ email, tenant_id }: Person, password = PASSWORD): Promise<string> {
  const { status, body } = await call('createSession', { body: { email, password, tenant_id } })
  expect(status).toBe(200)
  return body.jwt
}

const statusOf = async (token: string): Promise<number> => (await call('showProfile', { as: { token } })).status

const statusesOf = (...tokens: string[]): Promise<number[]> => Promise.all(tokens.map(statusOf))

const pathOf = ({ tenant_id, id }: Person) => ({ tenant_id, user_id: id })

describe('POST /sessions', () => {
  test('hands out a JWT with the header and the claims of the specification and nothing else', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { status, body } = await call('createSession', { body: { email: house.author.email, password: PASSWORD } })
    const after = Math.floor(Date.now() / 1000)
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['jwt'] })
    const { header, claims } = read(body.jwt)
    expect(header).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(header).toEqual(HEADER)
    expect(claims).toEqual({ user_id: house.author.id, exp: expect.any(Number) })
    expect(claims.exp).toBeGreaterThanOrEqual(before + LIFETIME)
    expect(claims.exp).toBeLessThanOrEqual(after + LIFETIME)
  })

  test('takes a form as well', async () => {
    const form = new URLSearchParams({ email: house.author.email, password: PASSWORD })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status, body } = await call('createSession', { body: Buffer.from(form.toString()), headers })
    expect({ status, user_id: read(body.jwt).claims.user_id }).toEqual({ status: 200, user_id: house.author.id })
  })

  test('hands out a JWT that works where a token does', async () => {
    const token = await newSession(house.author)
    const params = { tenant_id: house.tenant_id, user_id: house.author.id }
    const made = await call('createBlog', { as: { token }, params, body: { title: 'By a session' } })
    expect(made).toMatchObject({ status: 201, body: { blog: { user_id: house.author.id, title: 'By a session' } } })
  })

  test('leaves the opaque token and the sessions of before alone', async () => {
    const person = await newMember()
    const first = await newSession(person)
    const second = await newSession(person)
    expect(await statusesOf(person.token, first, second)).toEqual([200, 200, 200])
  })

  test('outlives a login', async () => {
    const person = await newMember()
    const jwt = await newSession(person)
    await logIn(person)
    expect(await statusesOf(jwt, person.token)).toEqual([200, 401])
  })
})

describe('DELETE /sessions', () => {
  test('ends the opaque token and every JWT at once', async () => {
    const person = await newMember()
    const jwts = [await newSession(person), await newSession(person)]
    expect(await call('deleteSessions', { as: person })).toMatchObject({ status: 204, body: undefined })
    expect(await statusesOf(person.token, ...jwts)).toEqual([401, 401, 401])
  })

  test('does so for a caller with a JWT', async () => {
    const person = await newMember()
    const token = await newSession(person)
    expect(await call('deleteSessions', { as: { token } })).toMatchObject({ status: 204 })
    expect(await statusesOf(person.token, token)).toEqual([401, 401])
  })

  test("leaves other people's sessions alone", async () => {
    const [person, other] = await Promise.all([newMember(), newMember()])
    const jwt = await newSession(other)
    await call('deleteSessions', { as: person })
    expect(await statusesOf(other.token, jwt)).toEqual([200, 200])
  })

  test('answers 401 to a token that it has ended', async () => {
    const person = await newMember()
    await call('deleteSessions', { as: person })
    expect(await call('deleteSessions', { as: person })).toMatchObject({ status: 401, body: { error: 'Unauthorized' } })
  })

  test('works for a caller without an opaque token', async () => {
    const person = await newMember()
    await call('deleteSessions', { as: person })
    const token = await newSession(person)
    expect(await call('deleteSessions', { as: { token } })).toMatchObject({ status: 204 })
    expect(await statusOf(token)).toBe(401)
  })

  test('lets nobody in whose login it overlapped, or leaves it whole', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await newMember()
      const [ended, login] = await Promise.all([
        call('deleteSessions', { as: person }),
        call('login', { body: { email: person.email, password: PASSWORD } }),
      ])
      // A login that came first ends the caller's own token, or its session with it.
      expect([ended.status, login.status]).toEqual([expect.toBeOneOf([204, 401]), 200])
      expect(await statusOf(person.token)).toBe(401)
    }
  })
})

describe('in one second', () => {
  const now = Math.floor(Date.now() / 1000)

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  test('a session lasts for 24 hours from its making', async () => {
    expect(read(await newSession(house.author)).claims.exp).toBe(now + LIFETIME)
  })

  test('a session that is asked for after DELETE /sessions works, and ends a second later than usual', async () => {
    const person = await newMember()
    const before = await newSession(person)
    await call('deleteSessions', { as: person })
    const after = await newSession(person)
    expect(read(after).claims.exp).toBe(now + LIFETIME + 1)
    expect(await statusesOf(before, after)).toEqual([401, 200])
  })

  test('a second DELETE /sessions ends the session that came after the first', async () => {
    const person = await newMember()
    await call('deleteSessions', { as: person })
    const between = await newSession(person)
    expect(await call('deleteSessions', { as: { token: between } })).toMatchObject({ status: 204 })
    const after = await newSession(person)
    expect(await statusesOf(between, after)).toEqual([401, 200])
  })

  test('a changed password ends the session that came after DELETE /sessions', async () => {
    const person = await newMember()
    await call('deleteSessions', { as: person })
    const between = await newSession(person)
    await call('updateUser', { as: house.owner, params: pathOf(person), body: { password: NEW_PASSWORD } })
    const after = await newSession(person, NEW_PASSWORD)
    expect(await statusesOf(between, after)).toEqual([401, 200])
  })

  test('a login after DELETE /sessions works', async () => {
    const person = await newMember()
    await call('deleteSessions', { as: person })
    expect(await statusOf((await logIn(person)).token)).toBe(200)
  })
})

describe('PATCH /tenants/{tenant_id}/users/{user_id} with a password', () => {
  test.each<[string, (person: Person) => Person]>([
    ['the user', (person) => person],
    ['the owner', () => house.owner],
    ['an admin', () => admin],
  ])('ends all sessions when %s changes it', async (_who, by) => {
    const person = await newMember()
    const jwt = await newSession(person)
    const changed = await call('updateUser', { as: by(person), params: pathOf(person), body: { password: NEW_PASSWORD } })
    expect(changed.status).toBe(200)
    expect(await statusesOf(person.token, jwt)).toEqual([401, 401])
    const { email } = person
    expect(await call('login', { body: { email, password: PASSWORD } })).toMatchObject({ status: 401 })
    expect(await call('login', { body: { email, password: NEW_PASSWORD } })).toMatchObject({ status: 200 })
    expect(await statusOf(await newSession(person, NEW_PASSWORD))).toBe(200)
  })

  test('also when the password stays the same', async () => {
    const person = await newMember()
    await call('updateUser', { as: person, params: pathOf(person), body: { password: PASSWORD } })
    expect(await statusOf(person.token)).toBe(401)
  })

  test('ends no session when it is refused', async () => {
    const person = await newMember()
    const jwt = await newSession(person)
    const refused = await call('updateUser', { as: person, params: pathOf(person), body: { password: 'short' } })
    expect(refused).toMatchObject({ status: 422, body: { error: ['Password is too short (minimum is 8 characters)'] } })
    expect(await statusesOf(person.token, jwt)).toEqual([200, 200])
  })

  test('leaves no session that the old password opened meanwhile', async () => {
    for (let round = 0; round < 6; round++) {
      const person = await newMember()
      const { email } = person
      const [changed, login, session] = await Promise.all([
        call('updateUser', { as: house.owner, params: pathOf(person), body: { password: NEW_PASSWORD } }),
        call('login', { body: { email, password: PASSWORD } }),
        call('createSession', { body: { email, password: PASSWORD } }),
      ])
      expect(changed.status).toBe(200)
      for (const token of [login.body.token, session.body.jwt]) if (token) expect(await statusOf(token)).toBe(401)
    }
  })

  test.each(['name', 'email'])('a changed %s leaves the sessions alone', async (field) => {
    const person = await newMember()
    const jwt = await newSession(person)
    const value = field === 'email' ? `new-${person.email}` : 'Kim'
    const changed = await call('updateUser', { as: person, params: pathOf(person), body: { [field]: value } })
    expect(changed).toMatchObject({ status: 200, body: { user: { [field]: value } } })
    expect(await statusesOf(person.token, jwt)).toEqual([200, 200])
  })
})
