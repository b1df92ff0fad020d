import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Role } from '#lib/auth/actor.ts'
import type { Token } from '#lib/auth/identity.ts'
import { digestToken } from '#lib/auth/tokens.ts'
import { deleteItem, getItem } from '#lib/table/items.ts'
import { keys, type TenantId } from '#lib/table/keys.ts'
import { type CallResponse, call } from '#tests/support/call.ts'
import { forge, inOneHour } from '#tests/support/jwt.ts'
import { type House, logIn, newAdmin, newEmail, newTenant, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

const DAY_MS = 86_400_000
const FORBIDDEN = { status: 403, body: { success: false, error: 'Forbidden' } }
const UNAUTHORIZED = { status: 401, body: { error: 'Unauthorized' } }

let admin: Person
let house: House

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

afterEach(() => {
  vi.useRealTimers()
})

const newMember = (role: Role = 'author'): Promise<Person> => newUser(admin, house.tenant_id, role)

const pathOf = ({ tenant_id, id }: Person) => ({ tenant_id, user_id: id })

const credentialsOf = ({ email, tenant_id }: Person) => ({ email, password: PASSWORD, tenant_id })

const startBlog = (person: Person, token = person.token): Promise<CallResponse> =>
  call('createBlog', { as: { token }, params: pathOf(person), body: { title: 'A blog' } })

const change = (person: Person, body: object, as = house.owner): Promise<CallResponse> =>
  call('updateUser', { as, params: pathOf(person), body })

const remove = (person: Person, as = house.owner): Promise<CallResponse> => call('deleteUser', { as, params: pathOf(person) })

/** Both kinds of token of a user. */
const tokensOf = (person: Person): [kind: string, token: string][] => [
  ['opaque', person.token],
  ['JWT', forge({ payload: { user_id: person.id, exp: inOneHour() } })],
]

const later = async <T>(ms: number, start: () => Promise<T>): Promise<T> => {
  await sleep(ms)
  return start()
}

const itemOf = (token: string): Promise<Token | undefined> => getItem<Token>(keys.token(digestToken(token)))

describe('a changed role', () => {
  test('counts from the next request, with tokens of both kinds', async () => {
    const person = await newMember('author')
    for (const [role, status] of [
      ['author', 201],
      ['reader', 403],
      ['owner', 201],
      ['reader', 403],
    ] as const) {
      expect(await change(person, { role })).toMatchObject({ status: 200, body: { user: { role } } })
      const answers = await Promise.all(tokensOf(person).map(([, token]) => startBlog(person, token)))
      expect({ role, statuses: answers.map((made) => made.status) }).toEqual({ role, statuses: [status, status] })
    }
  })

  test('is in the profile, and in the token that the next login gives', async () => {
    const person = await newMember('author')
    await change(person, { role: 'reader' })
    expect(await call('showProfile', { as: person })).toMatchObject({ status: 200, body: { role: 'reader' } })
    const { token } = await logIn(person)
    expect(await itemOf(token)).toMatchObject({ role: 'reader' })
    expect(await startBlog(person, token)).toMatchObject(FORBIDDEN)
  })

  test('does not need the item of the token, which TTL may have taken', async () => {
    const person = await newMember('author')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31 * DAY_MS })
    await deleteItem(keys.token(digestToken(person.token)), [], () => new Error('There is no token'))
    const owner = await logIn(house.owner)
    expect(await change(person, { role: 'reader' }, owner)).toMatchObject({ status: 200, body: { user: { role: 'reader' } } })
    expect(await itemOf(person.token)).toBeUndefined()
    expect(await call('showProfile', { as: person })).toMatchObject(UNAUTHORIZED)
    house.owner = owner
  })

  test('does not need the item of an API key that has expired, nor revives it', async () => {
    const person = await newMember('author')
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const { body } = await call('createApiKey', { as: person, body: { name: 'A key', expires_at } })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })
    await deleteItem(keys.apiKey(person.id, body.key.id), [], () => new Error('There is no key'))
    expect(await change(person, { role: 'reader' })).toMatchObject({ status: 200, body: { user: { role: 'reader' } } })
    expect(await getItem(keys.apiKey(person.id, body.key.id))).toBeUndefined()
  })

  test('does not revive a token that has expired', async () => {
    const person = await newMember('author')
    const { expires_at } = (await itemOf(person.token)) as Token
    vi.useFakeTimers({ toFake: ['Date'], now: expires_at * 1000 })
    house.owner = await logIn(house.owner)
    expect(await change(person, { role: 'reader' })).toMatchObject({ status: 200 })
    expect(await call('showProfile', { as: person })).toMatchObject(UNAUTHORIZED)
  })

  test('does not revive a token that DELETE /sessions has ended', async () => {
    const person = await newMember('author')
    await call('deleteSessions', { as: person })
    expect(await change(person, { role: 'reader' })).toMatchObject({ status: 200 })
    expect(await call('showProfile', { as: person })).toMatchObject(UNAUTHORIZED)
  })

  test('is in every token that a login beside it hands out', async () => {
    const person = await newMember('author')
    for (let round = 0; round < 10; round++) {
      expect((await change(person, { role: 'author' })).status).toBe(200)
      const [demoted, login] = await Promise.all([
        later(round % 5, () => change(person, { role: 'reader' })),
        later((round * 3) % 7, () => call('login', { body: credentialsOf(person) })),
      ])
      expect([demoted.status, login.status]).toEqual([200, 200])
      expect(await itemOf(login.body.token)).toMatchObject({ role: 'reader' })
      expect(await startBlog(person, login.body.token)).toMatchObject(FORBIDDEN)
    }
  })
})

describe('a changed email', () => {
  test('is the one to log in with from now on, and leaves the tokens as they are', async () => {
    const person = await newMember()
    const email = `new-${person.email}`
    expect(await change(person, { email }, person)).toMatchObject({ status: 200, body: { user: { email } } })
    for (const [, token] of tokensOf(person)) {
      expect(await call('showProfile', { as: { token } })).toMatchObject({ status: 200, body: { id: person.id, email } })
    }
    expect(await call('login', { body: credentialsOf(person) })).toMatchObject({
      status: 401,
      body: { error: 'Invalid credentials' },
    })
    expect(await call('login', { body: credentialsOf({ ...person, email }) })).toMatchObject({ status: 200 })
    expect(await call('showProfile', { as: person })).toMatchObject(UNAUTHORIZED)
  })

  test('keeps hold of a login beside it: a later demotion and a later end reach its token', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await newMember('author')
      const email = `new-${person.email}`
      const [moved, login] = await Promise.all([
        later(round % 3, () => change(person, { email })),
        later(round % 4, () => call('login', { body: credentialsOf(person) })),
      ])
      expect([moved.status, login.status]).toEqual([200, expect.toBeOneOf([200, 401])])
      const token = login.body.token ?? person.token
      expect((await change(person, { role: 'reader' })).status).toBe(200)
      expect(await startBlog(person, token)).toMatchObject(FORBIDDEN)
      expect((await call('deleteSessions', { as: { token } })).status).toBe(204)
      expect(await itemOf(token)).toBeUndefined()
    }
  })
})

describe('a deleted user', () => {
  test.each<[string, (person: Person) => Person]>([
    ['the owner', () => house.owner],
    ['the user itself', (person) => person],
    ['an admin', () => admin],
  ])('has no living token of either kind once %s has deleted it', async (_who, by) => {
    const person = await newMember()
    expect(await remove(person, by(person))).toMatchObject({ status: 204 })
    const names = ['showProfile', 'deleteSessions', 'showTenant'] as const
    for (const [, token] of tokensOf(person)) {
      const answers = await Promise.all(
        names.map((name) => call(name, { as: { token }, params: name === 'showTenant' ? { tenant_id: house.tenant_id } : {} })),
      )
      for (const answer of answers) expect(answer).toMatchObject(UNAUTHORIZED)
    }
  })

  test('can log in no more, and its email is free again', async () => {
    const person = await newMember()
    await remove(person)
    for (const name of ['login', 'createSession']) {
      expect(await call(name, { body: credentialsOf(person) })).toMatchObject({
        status: 401,
        body: { error: 'Invalid credentials' },
      })
    }
    const again = { email: person.email, password: 'another horse' }
    const made = await call('createUser', { as: admin, params: { tenant_id: house.tenant_id }, body: again })
    expect(made).toMatchObject({ status: 201, body: { user: { email: person.email } } })
    expect(made.body.user.id).not.toBe(person.id)
    expect(await call('login', { body: again })).toMatchObject({ status: 200 })
    for (const [, token] of tokensOf(person)) expect(await call('showProfile', { as: { token } })).toMatchObject(UNAUTHORIZED)
  })

  test('leaves nothing to log in with, nor a token, also when logins overlap its end', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await newMember()
      const [removed, ...logins] = await Promise.all([
        later(round % 5, () => remove(person)),
        later(0, () => call('login', { body: credentialsOf(person) })),
        later((round * 3) % 7, () => call('login', { body: credentialsOf(person) })),
        later(round % 6, () => call('createSession', { body: credentialsOf(person) })),
      ])
      expect(removed.status).toBe(204)
      for (const { status, body } of logins) {
        expect(status).toBeOneOf([200, 401])
        const token = body.token ?? body.jwt ?? person.token
        expect(await itemOf(token)).toBeUndefined()
        expect(await call('showTenant', { as: { token }, params: { tenant_id: house.tenant_id } })).toMatchObject(UNAUTHORIZED)
      }
      const left = [
        keys.user(house.tenant_id as TenantId, person.id),
        keys.claim(house.tenant_id as TenantId, person.email),
        keys.login(person.email, person.id),
        keys.principal(person.id),
      ]
      expect(await Promise.all(left.map((key) => getItem(key)))).toEqual([undefined, undefined, undefined, undefined])
    }
  })
})

test('changes of one user that come all at once are made one after the other', async () => {
  const person = await newMember()
  const emails = Array.from({ length: 40 }, () => newEmail())
  const changed = await Promise.all(emails.map((email) => change(person, { email })))
  expect(changed.map(({ status }) => status)).toEqual(emails.map(() => 200))
  expect(new Set(changed.map(({ body }) => body.user.version)).size).toBe(emails.length)
})
