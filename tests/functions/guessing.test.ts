import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clear, count } from '#lib/limits/failures.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import { ask } from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { FAULTS, startProxy } from '#tests/support/proxy.ts'
import { allItems } from '#tests/support/table.ts'
import { newAdmin, newEmail, newTenant, PASSWORD, type Person } from '#tests/support/world.ts'

// The two larger ones are smaller than an installation's that sets none.
Object.assign(process.env, { LOGIN_FAILURES_PER_SOURCE: '5', LOGIN_FAILURES: '20', SOURCE_FAILURES: '30' })

const proxy = await startProxy()

const START = Date.UTC(2027, 4, 1, 12)
const MINUTE = 60_000

let admin: Person
let house: Person
let other: Person

beforeAll(async () => {
  admin = await newAdmin()
  house = (await newTenant(admin)).owner
  other = (await newTenant(admin)).owner
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
})

afterEach(() => {
  proxy.state.plan = () => undefined
  vi.useRealTimers()
})

type Account = { email: string; tenant_id: number; id: number }

/** A user whose password is `PASSWORD` unless told otherwise. */
async function newAccount({ by = house, email = newEmail(), password = PASSWORD } = {}): Promise<Account> {
  vi.useRealTimers()
  const params = { tenant_id: by.tenant_id }
  const { body } = await call('createUser', { as: by, params, body: { email, password, role: 'author' } })
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  const { id, tenant_id } = body.user
  return { id, email, tenant_id }
}

let addresses = 0
const newAddress = (): string => {
  addresses++
  return `192.0.${addresses >> 8}.${addresses & 255}`
}

type Attempt = { email: string; password?: string; tenant_id?: number | undefined; from: string; name?: string; headers?: object }

const attempt = ({ from, name = 'login', headers = {}, password = 'wrong horse', ...rest }: Attempt) =>
  call(name, { from, headers: { ...headers }, body: { password, ...rest } })

const right = (given: Attempt) => attempt({ password: PASSWORD, ...given })

const statusOf = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status

/** The statuses of so many wrong passwords, one after the other. */
async function wrong(times: number, given: Attempt): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n++) statuses.push(await statusOf(attempt({ ...given, password: `wrong horse ${n}` })))
  return statuses
}

const repeated = (status: number, times: number): number[] => Array(times).fill(status)

const INVALID = { status: 401, body: { error: 'Invalid credentials' } }

const refusedFor = (seconds: number) => ({
  status: 429,
  body: { success: false, error: 'Too many requests' },
  headers: { 'retry-after': String(seconds) },
})

describe.each([
  ['login', false],
  ['createSession', false],
  ['createSession', true],
])('5 failures from one address (%s, tenant named: %s)', (name, named) => {
  const target = ({ email, tenant_id }: Account, from: string) => ({ name, from, email, ...(named && { tenant_id }) })

  test('lock the account for that address, for the right password too', async () => {
    const account = await newAccount()
    const given = target(account, newAddress())
    expect(await wrong(5, given)).toEqual(repeated(401, 5))
    expect(await attempt(given)).toMatchObject(refusedFor(900))
    expect(await right(given)).toMatchObject(refusedFor(900))
    expect(await right({ ...given, tenant_id: account.tenant_id })).toMatchObject(refusedFor(900))
  })

  test('do not lock it for another address', async () => {
    const account = await newAccount()
    await wrong(6, target(account, newAddress()))
    expect(await right(target(account, newAddress()))).toMatchObject({ status: 200 })
  })

  test('do not lock another account for that address', async () => {
    const [one, two] = [await newAccount(), await newAccount()]
    const from = newAddress()
    await wrong(6, target(one, from))
    expect(await right(target(two, from))).toMatchObject({ status: 200 })
  })

  test('are counted afresh after a success', async () => {
    const given = target(await newAccount(), newAddress())
    for (let round = 0; round < 2; round++) {
      expect(await wrong(4, given)).toEqual(repeated(401, 4))
      expect(await right(given)).toMatchObject({ status: 200 })
    }
    expect(await wrong(6, given)).toEqual([...repeated(401, 5), 429])
  })

  test('are counted within 15 minutes', async () => {
    const given = target(await newAccount(), newAddress())
    await wrong(4, given)
    vi.setSystemTime(START + 15 * MINUTE)
    expect(await wrong(4, given)).toEqual(repeated(401, 4))
    expect(await right(given)).toMatchObject({ status: 200 })
  })

  test('are not filled up by successes', async () => {
    const given = target(await newAccount(), newAddress())
    for (let n = 0; n < 7; n++) expect(await right(given)).toMatchObject({ status: 200 })
  })
})

describe('a lock', () => {
  test('ends when it said it would, and no attempt in between prolongs it', async () => {
    const { email } = await newAccount()
    const given = { email, from: newAddress() }
    await wrong(5, given)
    for (const [minutes, left] of [
      [0, 900],
      [10, 300],
      [14, 60],
      [14 + 59 / 60, 1],
    ] as const) {
      vi.setSystemTime(START + minutes * MINUTE)
      expect(await right(given), `after ${minutes} minutes`).toMatchObject(refusedFor(left))
    }
    vi.setSystemTime(START + 15 * MINUTE)
    expect(await right(given)).toMatchObject({ status: 200 })
  })

  test('begins with the last failure', async () => {
    const given = { email: newEmail(), from: newAddress() }
    await wrong(4, given)
    vi.setSystemTime(START + 14 * MINUTE)
    await wrong(1, given)
    expect(await attempt(given)).toMatchObject(refusedFor(900))
  })

  test('is twice as long each time, up to an hour, and short again when an hour has passed', async () => {
    const given = { email: (await newAccount()).email, from: newAddress() }
    let now = START
    for (const minutes of [15, 30, 60, 60]) {
      expect(await wrong(5, given), `before ${minutes}`).toEqual(repeated(401, 5))
      expect(await attempt(given)).toMatchObject(refusedFor(minutes * 60))
      now += minutes * MINUTE
      vi.setSystemTime(now)
    }
    now += 60 * MINUTE
    vi.setSystemTime(now)
    await wrong(5, given)
    expect(await attempt(given)).toMatchObject(refusedFor(900))
  })

  test('is not longer after a window that was not full', async () => {
    const given = { email: newEmail(), from: newAddress() }
    await wrong(4, given)
    vi.setSystemTime(START + 15 * MINUTE)
    await wrong(5, given)
    expect(await attempt(given)).toMatchObject(refusedFor(900))
  })

  test('leaves a running session alone', async () => {
    const { email, tenant_id, id } = await newAccount()
    const [{ body: opaque }, { body: signed }] = [
      await right({ email, from: newAddress() }),
      await right({ email, from: newAddress(), name: 'createSession' }),
    ]
    const from = newAddress()
    await wrong(6, { email, from })
    await wrong(6, { email, tenant_id, from })
    for (const token of [opaque.token, signed.jwt]) {
      expect(await ask('showProfile', { as: { token }, from })).toMatchObject({ status: 200, body: { id } })
    }
    const params = { tenant_id, user_id: id }
    expect(await ask('createBlog', { as: opaque, from, params, body: { title: 'Mine' } })).toMatchObject({ status: 201 })
  })

  test('is the address’s that the gateway saw, whatever a header says', async () => {
    const given = { email: newEmail(), from: newAddress() }
    for (let n = 0; n < 5; n++) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` }
      expect(await attempt({ ...given, headers })).toMatchObject(INVALID)
    }
    expect(await attempt({ ...given, headers: { 'x-forwarded-for': '203.0.113.77' } })).toMatchObject(refusedFor(900))
  })

  test('is of an email, however it is written', async () => {
    const { email } = await newAccount()
    const from = newAddress()
    for (const written of [email, email.toUpperCase(), ` ${email}`, `${email}\n`, `${email.toUpperCase()} `]) {
      expect(await attempt({ email: written, from })).toMatchObject(INVALID)
    }
    expect(await right({ email, from })).toMatchObject(refusedFor(900))
  })

  test('is not met by requests that are no attempt', async () => {
    const { email } = await newAccount()
    const from = newAddress()
    for (let n = 0; n < 8; n++) {
      expect(await statusOf(call('login', { from, body: { email } }))).toBe(400)
      expect(await statusOf(call('login', { from, body: { email, password: 7 } }))).toBe(422)
    }
    expect(await right({ email, from })).toMatchObject({ status: 200 })
  })
})

describe('addresses', () => {
  test.each([
    ['of one IPv6 network of 64 bits', '2001:db8:0:1::1', '2001:db8:0:1:ffff:ffff:ffff:ffff', 429],
    ['of two IPv6 networks', '2001:db8:0:2::1', '2001:db8:0:3::1', 401],
    ['of IPv4, one of them mapped into IPv6', '198.51.100.7', '::ffff:198.51.100.7', 429],
    ['of IPv4, both mapped into IPv6', '::ffff:198.51.100.8', '::ffff:198.51.100.9', 401],
    ['of which one begins as the other', '198.51.100.1', '198.51.100.10', 401],
  ])('%s', async (_what, one, two, status) => {
    const email = newEmail()
    expect(await wrong(5, { email, from: one })).toEqual(repeated(401, 5))
    expect(await statusOf(attempt({ email, from: two }))).toBe(status)
  })
})

describe('20 failures from many addresses', () => {
  test.each([[false], [true]])('lock the account for everyone (tenant named: %s)', async (named) => {
    const { email, tenant_id } = await newAccount()
    const given = { email, ...(named && { tenant_id }) }
    for (let n = 0; n < 4; n++) {
      const statuses = await wrong(5, { ...given, from: newAddress() })
      expect(statuses).toEqual(repeated(401, 5))
    }
    expect(await right({ ...given, from: newAddress() })).toMatchObject(refusedFor(900))
    expect(await right({ email, tenant_id, from: newAddress() })).toMatchObject(refusedFor(900))
    const another = await newAccount()
    expect(await right({ ...another, from: newAddress() })).toMatchObject({ status: 200 })
    vi.setSystemTime(START + 15 * MINUTE)
    expect(await right({ ...given, from: newAddress() })).toMatchObject({ status: 200 })
  })

  test('are failures: what is refused for one address does not lock others out', async () => {
    const { email } = await newAccount()
    const from = newAddress()
    expect(await wrong(26, { email, from })).toEqual([...repeated(401, 5), ...repeated(429, 21)])
    expect(await right({ email, from: newAddress() })).toMatchObject({ status: 200 })
  })
})

describe('30 failures from one address', () => {
  test('lock the address for every account', async () => {
    const account = await newAccount()
    const from = newAddress()
    for (let n = 0; n < 30; n++) expect(await attempt({ email: newEmail(), from })).toMatchObject(INVALID)
    expect(await right({ email: account.email, from })).toMatchObject(refusedFor(900))
    expect(await attempt({ email: newEmail(), from })).toMatchObject(refusedFor(900))
    expect(await right({ email: account.email, from: newAddress() })).toMatchObject({ status: 200 })
    vi.setSystemTime(START + 15 * MINUTE)
    expect(await right({ email: account.email, from })).toMatchObject({ status: 200 })
  })

  test('are failures: successes and refusals do not count', async () => {
    const { email } = await newAccount()
    const from = newAddress()
    for (let n = 0; n < 6; n++) await right({ email, from })
    expect((await wrong(8, { email: newEmail(), from })).filter((status) => status === 401)).toHaveLength(5)
    for (let n = 0; n < 24; n++) await attempt({ email: newEmail(), from })
    expect(await right({ email, from })).toMatchObject({ status: 200 })
    expect(await attempt({ email: newEmail(), from })).toMatchObject(INVALID)
    expect(await right({ email, from })).toMatchObject(refusedFor(900))
  })
})

describe('an account of one’s own with a stranger’s email', () => {
  const OWN = 'my own horse'
  let victim: Account
  let own: { email: string; tenant_id: number; password: string }
  let from: string

  beforeEach(async () => {
    victim = await newAccount()
    const { email, tenant_id } = await newAccount({ by: other, email: victim.email, password: OWN })
    own = { email, tenant_id, password: OWN }
    from = newAddress()
  })

  const guess = () => attempt({ email: victim.email, tenant_id: victim.tenant_id, from })

  test('does not clear the stranger’s failures', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 8; n++) {
      statuses.push(await statusOf(guess()))
      expect(await attempt({ ...own, from })).toMatchObject({ status: 200 })
    }
    expect(statuses).toEqual([...repeated(401, 5), ...repeated(429, 3)])
  })

  test('does not clear those that named no tenant', async () => {
    expect(await wrong(4, { email: victim.email, from })).toEqual(repeated(401, 4))
    expect(await attempt({ ...own, from })).toMatchObject({ status: 200 })
    expect(await guess()).toMatchObject(INVALID)
    expect(await guess()).toMatchObject(refusedFor(900))
    expect(await right({ ...victim, from })).toMatchObject(refusedFor(900))
    expect(await attempt({ ...own, from })).toMatchObject({ status: 200 })
  })

  test('counts against the stranger’s when its password is tried on both', async () => {
    const both = { email: victim.email, password: OWN, from }
    for (let n = 0; n < 5; n++) expect(await attempt(both)).toMatchObject({ status: 200 })
    expect(await right({ ...victim, from })).toMatchObject(refusedFor(900))
    // What cannot be tried any more leaves one that fits.
    expect(await attempt(both)).toMatchObject({ status: 200 })
    expect(await right({ email: victim.email, from })).toMatchObject(INVALID)
    expect(await right({ ...victim, from: newAddress() })).toMatchObject({ status: 200 })
  })

  test('does not lock the stranger out elsewhere', async () => {
    for (let n = 0; n < 8; n++) await guess()
    expect(await right({ email: victim.email, from: newAddress() })).toMatchObject({ status: 200 })
    expect(await right({ ...victim, from: newAddress() })).toMatchObject({ status: 200 })
  })

  test('clears nothing either where the passwords are equal: both fit, and nobody is told more', async () => {
    const twin = await newAccount({ by: other, email: (await newAccount()).email })
    const tenant_ids = [house.tenant_id, other.tenant_id]
    expect(await right({ email: twin.email, from })).toMatchObject({ status: 422, body: { details: { tenant_ids } } })
  })
})

describe('an account and an email that nobody has', () => {
  type Step = { tenant?: 'named' | 'other'; at?: number; minutes?: number }

  const NONE: Step = {}
  const NAMED: Step = { tenant: 'named' }
  const OTHER: Step = { tenant: 'other' }
  const many = (times: number, step: Step): Step[] => Array(times).fill(step)

  /** The same steps in each run: mulberry32. */
  function randomSteps(seed: number, length: number): Step[] {
    let state = seed
    const random = (below: number) => {
      state = (state + 0x6d2b79f5) | 0
      let t = Math.imul(state ^ (state >>> 15), 1 | state)
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
      return ((t ^ (t >>> 14)) >>> 0) % below
    }
    return Array.from({ length }, () => {
      const tenant = [undefined, 'named', 'other'][random(3)] as Step['tenant']
      return { ...(tenant && { tenant }), at: random(8) === 0 ? 1 : 0, minutes: random(7) === 0 ? 8 : 0 }
    })
  }

  /** Everything that wrong passwords learn from their answers. */
  async function sequence(email: string, steps: Step[]): Promise<unknown[]> {
    const places = [newAddress(), newAddress()]
    const seen: unknown[] = []
    let now = START
    for (const { tenant, at = 0, minutes = 0 } of steps) {
      now += minutes * MINUTE
      vi.setSystemTime(now)
      const tenant_id = tenant && (tenant === 'named' ? house : other).tenant_id
      const { status, body, headers } = await attempt({ email, from: places[at] as string, ...(tenant_id && { tenant_id }) })
      seen.push([status, body, headers['retry-after']])
    }
    return seen
  }

  test.each<[string, Step[]]>([
    ['without a tenant', many(7, NONE)],
    ['with its tenant, then without', [...many(6, NAMED), ...many(3, NONE)]],
    ['with another tenant, then without', [...many(6, OTHER), ...many(3, NONE), NAMED]],
    ['without, then with its tenant', [...many(6, NONE), ...many(3, NAMED), OTHER]],
    ['by turns', [NONE, NAMED, OTHER, NONE, NAMED, OTHER, NONE, NAMED, OTHER, NONE]],
    ['a little of each, then a while later', [NAMED, NAMED, NONE, NONE, NONE, NONE, { minutes: 16 }, NAMED, NONE, OTHER]],
    ['lock after lock', [...many(6, NONE), { minutes: 15 }, ...many(6, NAMED), { minutes: 30 }, ...many(6, NONE)]],
    ...[1, 3, 5].map((seed): [string, Step[]] => [`at random (${seed})`, randomSteps(seed, 14)]),
  ])('get the same answers: %s', async (_pattern, steps) => {
    const nobodys = await sequence(newEmail(), steps)
    const { email } = await newAccount()
    expect(await sequence(email, steps)).toEqual(nobodys)
    const twin = await newAccount({ by: other, email: (await newAccount()).email, password: 'another horse' })
    expect(await sequence(twin.email, steps)).toEqual(nobodys)
  })
})

describe('what is kept of failures', () => {
  test('is counts that end, under keys that say neither the email nor the password', async () => {
    const email = newEmail()
    await wrong(6, { email, from: newAddress() })
    await wrong(2, { email, from: newAddress(), tenant_id: house.tenant_id })
    const counters = (await allItems()).filter(({ pk }) => pk.startsWith('FAILURES#'))
    expect(counters.length).toBeGreaterThanOrEqual(6)
    const kept = JSON.stringify(counters)
    for (const secret of [email, email.split('@')[0], 'example.org', 'horse']) expect(kept).not.toContain(secret)
    for (const { type, failures, ends_at, expires_at } of counters) {
      expect({ type, failures, ends_at, expires_at }).toEqual({
        type: 'failures',
        failures: expect.any(Number),
        ends_at: expect.any(Number),
        expires_at: (ends_at as number) + 3600,
      })
    }
  })

  test('is nothing of an attempt that was refused', async () => {
    const email = newEmail()
    const from = newAddress()
    await wrong(5, { email, from })
    const counters = async () => (await allItems()).filter(({ pk }) => pk.startsWith('FAILURES#'))
    const before = await counters()
    vi.setSystemTime(START + 5 * MINUTE)
    await wrong(3, { email, from })
    expect(await counters()).toEqual(before)
  })
})

test('what one login has cleared, another that was counted before it does not take back', async () => {
  const key = keys.failures(randomUUID(), '*')
  const window = await count(key)
  await clear(key, { ...window, failures: 5 }, 7)
  await clear(key, { ...window, failures: 3 }, 7)
  expect(await getItem(key)).toMatchObject({ cleared_7: 5 })
})

describe('a table that fails counts as no wrong password', () => {
  test.each<[string, string, (account: Account) => string]>([
    ['the login', 'Query', ({ email }) => `EMAIL#${email}`],
    ['the principal', 'GetItem', ({ id }) => `"USER#${id}"`],
  ])('when it can’t read %s', async (_what, operation, partition) => {
    const account = await newAccount()
    const from = newAddress()
    const knock = () => statusOf(right({ email: account.email, from }))
    proxy.state.plan = (asked, body) => (asked === operation && body.includes(partition(account)) ? FAULTS.internal : undefined)
    for (let n = 0; n < 7; n++) expect(await knock()).toBe(503)
    proxy.state.plan = () => undefined
    expect(await knock()).toBe(200)
  })
})
