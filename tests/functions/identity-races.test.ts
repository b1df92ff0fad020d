import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Principal } from '#lib/auth/identity.ts'
import { digestToken } from '#lib/auth/tokens.ts'
import { getItem } from '#lib/table/items.ts'
import { transact } from '#lib/table/transact.ts'
import { type Answer, ask, gone, notFound, unauthorized } from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { openStream } from '#tests/support/stream.ts'
import { allItems } from '#tests/support/table.ts'
import { type House, logIn, newAdmin, newTenant, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

// The real read and the real transaction, before which something else can happen.
vi.mock('#lib/table/items.ts', async (original) => {
  const items = await original<typeof import('#lib/table/items.ts')>()
  return { ...items, getItem: vi.fn(items.getItem) }
})
vi.mock('#lib/table/transact.ts', async (original) => {
  const transactions = await original<typeof import('#lib/table/transact.ts')>()
  return { ...transactions, transact: vi.fn(transactions.transact) }
})

let house: House
let admin: Person
let person: Person

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

beforeEach(async () => {
  person = await newUser(admin, house.tenant_id, 'author')
})

// biome-ignore lint/suspicious/noExplicitAny: it stands in for functions of any kind
type Asking = (...args: any[]) => Promise<any>

/** Runs a request, and something else right before the first call of a mocked function that is due. */
async function disturbed<F extends Asking, T>(
  what: F,
  isDue: (...args: Parameters<F>) => boolean,
  meanwhile: () => Promise<unknown>,
  request: () => Promise<T>,
): Promise<T> {
  const mocked = vi.mocked<Asking>(what)
  const real = mocked.getMockImplementation() as Asking
  let isDone = false
  mocked.mockImplementation(async (...args) => {
    if (!isDone && isDue(...(args as Parameters<F>))) {
      isDone = true
      await meanwhile()
    }
    return real(...args)
  })
  const answer = await request()
  mocked.mockImplementation(real)
  expect(isDone).toBe(true)
  return answer
}

type Disturbance<T> = [meanwhile: () => Promise<unknown>, request: () => Promise<T>]

/** Right before its first transaction. */
const overtaken = <T>(...how: Disturbance<T>): Promise<T> => disturbed(transact, () => true, ...how)

/** Right before it reads from that partition. */
const interrupted = <T>(partition: string, ...how: Disturbance<T>): Promise<T> =>
  disturbed(getItem, ({ pk }) => pk === partition, ...how)

const invalidCredentials: Answer = { status: 401, body: { error: 'Invalid credentials' } }
const anyToken: Answer = { status: 200, body: { token: expect.any(String) } }
const pathOf = ({ tenant_id, id }: Person) => ({ tenant_id, user_id: id })
const change = (body: object, as = house.owner) => ask('updateUser', { as, params: pathOf(person), body })
const newKey = (as: { token: string } = person, body: object = {}): Promise<Answer> =>
  ask('createApiKey', { as, body: { name: 'A key', scope: 'write', ...body } })
const profile = async (token: string): Promise<number> => (await ask('showProfile', { as: { token } })).status
const signed = async (): Promise<{ token: string }> => {
  const { email, tenant_id } = person
  return { token: (await call('createSession', { body: { email, tenant_id, password: PASSWORD } })).body.jwt }
}

/** What stands of a user's tokens: those that the principal knows, and the items that open a door. */
async function doors({ id }: Person) {
  const items = (await allItems()).filter((item) => item.user_id === id)
  const principal = items.find(({ type }) => type === 'principal') as Principal | undefined
  const tokens = items.filter(({ type }) => type === 'token')
  const apiKeys = items.filter(({ type }) => type === 'key')
  return {
    known: principal?.token_digest === undefined ? [] : [`TOKEN#${principal.token_digest}`],
    open: tokens.map(({ pk }) => pk),
    roles: [...new Set([...tokens, ...apiKeys].map(({ role }) => role))],
    role: principal?.role,
    keys: Object.entries(principal?.api_keys ?? {}).sort(),
    listed: apiKeys.map((item) => [String(item.id), item.expires_at]).sort(),
    versions: new Set(items.filter(({ type }) => type === 'principal' || type === 'login').map((item) => item.password_version)),
  }
}

async function expectConsistent(person: Person): Promise<void> {
  const { known, open, roles, role, keys, listed, versions } = await doors(person)
  expect(open).toEqual(known)
  expect(listed).toEqual(keys)
  expect(roles).toEqual(open.length + listed.length > 0 ? [role] : [])
  expect(versions.size).toBe(1)
}

describe('a session that ends while it makes a key', () => {
  const ENDS: [string, () => Promise<unknown>][] = [
    ['a new password', () => change({ password: 'another horse' })],
    ['its own end', () => ask('deleteSessions', { as: person })],
  ]
  const SESSIONS: [string, () => Promise<{ token: string }>][] = [
    ['an opaque one', async () => person],
    ['a JWT', () => signed()],
  ]

  test.each(ENDS.flatMap(([how, end]) => SESSIONS.map(([kind, open]) => [kind, how, end, open] as const)))(
    'leaves none behind: %s, by %s',
    async (_kind, _how, end, open) => {
      const as = await open()
      expect(await overtaken(end, () => newKey(as))).toEqual(unauthorized)
      expect((await doors(person)).listed).toEqual([])
      await expectConsistent(person)
    },
  )

  test('by another login: the key is not made, and the new session stands', async () => {
    let later = person
    const login = async () => {
      later = await logIn(person)
    }
    expect(await overtaken(login, () => newKey())).toEqual(unauthorized)
    expect(await newKey(later)).toMatchObject({ status: 201 })
    await expectConsistent(person)
  })

  test('by the user’s end', async () => {
    const remove = () => ask('deleteUser', { as: house.owner, params: pathOf(person) })
    expect(await overtaken(remove, () => newKey())).toEqual(unauthorized)
    expect(await doors(person)).toMatchObject({ known: [], open: [], listed: [] })
  })

  test('a role that changes meanwhile is the key’s', async () => {
    const demote = () => change({ role: 'reader' })
    const made = await overtaken(demote, () => newKey())
    expect(made).toMatchObject({ status: 201 })
    expect(await ask('showProfile', { as: made.body.key })).toMatchObject({ status: 200, body: { role: 'reader' } })
    await expectConsistent(person)
  })
})

describe('a login or a key that comes between the reads of a change', () => {
  const CHANGES: [string, object][] = [
    ['email and password', { password: 'another horse' }],
    ['email and role', { role: 'reader' }],
    ['email', {}],
  ]
  const INTRUSIONS: [string, () => Promise<unknown>][] = [
    ['a login', () => logIn(person)],
    ['a new key', () => newKey()],
    ['a logout', () => ask('deleteSessions', { as: person })],
  ]

  test.each(CHANGES.flatMap(([what, body]) => INTRUSIONS.map(([who, meanwhile]) => [what, who, body, meanwhile] as const)))(
    'of %s, %s, is no way around it',
    async (_what, _who, body, meanwhile) => {
      await newKey()
      const email = `${randomUUID()}@example.org`
      const changed = await interrupted(`EMAIL#${person.email}`, meanwhile, () => change({ email, ...body }))
      expect(changed).toMatchObject({ status: 200, body: { user: { email } } })
      await expectConsistent(person)
      if ('password' in body) expect(await doors(person)).toMatchObject({ open: [], listed: [] })
    },
  )
})

describe('a login between whose reads the identity changes', () => {
  const logins = ['login', 'createSession']
  const credentials = () => ({ email: person.email, tenant_id: person.tenant_id, password: PASSWORD })

  test.each(logins)('opens nothing by a password that is the old one by then: %s', async (name) => {
    const renew = () => change({ password: 'another horse' })
    const answer = await interrupted(`USER#${person.id}`, renew, () => ask(name, { body: credentials() }))
    expect(answer).toEqual(invalidCredentials)
    expect((await doors(person)).open).toEqual([])
  })

  test.each(logins)('opens nothing by an email that is the old one by then: %s', async (name) => {
    const old = { body: credentials() }
    const move = () => change({ email: `${randomUUID()}@example.org` })
    expect(await interrupted(`USER#${person.id}`, move, () => ask(name, old))).toEqual(invalidCredentials)
  })

  test.each(logins)('opens nothing for a user who is gone by then: %s', async (name) => {
    const remove = () => ask('deleteUser', { as: house.owner, params: pathOf(person) })
    const answer = await interrupted(`USER#${person.id}`, remove, () => ask(name, { body: credentials() }))
    expect(answer).toEqual(invalidCredentials)
    expect((await doors(person)).open).toEqual([])
  })

  test.each<[string, () => Promise<unknown>, Answer]>([
    ['another password: nothing', () => change({ password: 'another horse' }), invalidCredentials],
    ['another role: a token of that role', () => change({ role: 'reader' }), anyToken],
    ['another login: a token that replaces that one', () => logIn(person), anyToken],
    ['a logout: a new session', () => ask('deleteSessions', { as: person }), anyToken],
  ])('opens, after the hash has fitted, with %s', async (_what, meanwhile, expected) => {
    expect(await overtaken(meanwhile, () => ask('login', { body: credentials() }))).toEqual(expected)
    await expectConsistent(person)
  })
})

describe('a session that a JWT opens while the clock moves on between the making of a change and its write', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each<[string, () => Promise<Answer>]>([
    ['a new password', () => change({ password: 'another horse' })],
    ['a new email and password', () => change({ email: `${randomUUID()}@example.org`, password: 'another horse' })],
    ['a logout', () => ask('deleteSessions', { as: person })],
  ])('is ended by %s', async (_how, end) => {
    const opened: { token: string }[] = []
    const meanwhile = async () => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000 })
      opened.push(await signed())
    }
    expect((await overtaken(meanwhile, end)).status).toBeLessThan(300)
    for (const { token } of opened) expect(await profile(token)).toBe(401)
    await expectConsistent(person)
  })
})

describe('a logout ends what was opened between its check and its write', () => {
  test.each<[string, () => Promise<{ token: string }>]>([
    ['with an opaque token', async () => person],
    ['with a JWT', () => signed()],
  ])('%s', async (_kind, open) => {
    const as = await open()
    const opened: { token: string }[] = []
    const meanwhile = async () => {
      opened.push(await logIn(person), await signed())
    }
    expect(await overtaken(meanwhile, () => ask('deleteSessions', { as }))).toEqual(gone)
    for (const { token } of [as, person, ...opened]) expect(await profile(token)).toBe(401)
    expect((await doors(person)).open).toEqual([])
    await expectConsistent(person)
  })

  test('but is refused where its user has gone', async () => {
    const remove = () => ask('deleteUser', { as: house.owner, params: pathOf(person) })
    expect(await overtaken(remove, () => ask('deleteSessions', { as: person }))).toEqual(unauthorized)
    expect(await doors(person)).toMatchObject({ known: [], open: [], role: undefined })
  })
})

describe('all at once', () => {
  test('keys made and ended, roles changed and logins leave one truth', async () => {
    const first = await Promise.all(Array.from({ length: 3 }, () => newKey()))
    expect(first.map(({ status }) => status)).toEqual([201, 201, 201])
    for (let round = 0; round < 3; round++) {
      const mine = await signed()
      const [, , ...answers] = await Promise.all([
        change({ role: round % 2 === 0 ? 'reader' : 'owner' }),
        logIn(person),
        newKey(mine),
        newKey(mine),
        ask('deleteApiKey', { as: mine, params: { key_id: first[round]?.body.key.id } }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 204])
      await expectConsistent(person)
    }
    expect((await doors(person)).listed).toHaveLength(6)
  })

  test('a key is ended once', async () => {
    const { body } = await newKey()
    const end = () => ask('deleteApiKey', { as: person, params: { key_id: body.key.id } })
    const answers = await Promise.all([end(), end(), end()])
    expect(answers.sort((a, b) => a.status - b.status)).toEqual([gone, notFound, notFound])
    await expectConsistent(person)
  })

  test('no more than 20 keys are kept', async () => {
    const mine = await signed()
    for (let n = 0; n < 18; n++) expect(await newKey(mine)).toMatchObject({ status: 201 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => newKey(mine)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422])
    await expectConsistent(person)
    expect((await doors(person)).listed).toHaveLength(20)
  })

  test('a deleted user’s keys are all dead, whoever makes more meanwhile', async () => {
    const drain = await openStream()
    const kept = await newKey()
    const makes = Array.from({ length: 5 }, () => newKey())
    const removed = ask('deleteUser', { as: house.owner, params: pathOf(person) })
    const made = await Promise.all(makes)
    expect(await removed).toEqual(gone)
    for (const { status, body } of [kept, ...made]) {
      if (status === 201) expect(await profile(body.key.token)).toBe(401)
    }
    await drain()
    expect(await doors(person)).toMatchObject({ known: [], open: [], listed: [] })
  })

  test('the digest of a key opens nothing', async () => {
    const { body } = await newKey()
    expect(await profile(body.key.token)).toBe(200)
    expect(await profile(digestToken(body.key.token))).toBe(401)
    expect(await profile(`mh_${digestToken(body.key.token)}`)).toBe(401)
  })
})
