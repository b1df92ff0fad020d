import { compare } from 'bcryptjs'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { call } from '#tests/support/call.ts'
import { newAdmin, newEmail, newTenant, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

// The limits of an installation that sets none.
for (const name of ['LOGIN_FAILURES_PER_SOURCE', 'LOGIN_FAILURES', 'SOURCE_FAILURES']) process.env[name] = ''

/** As many as one process sends side by side without one waiting for another's socket. */
const IN_FLIGHT = 25

// The real comparison, counted.
vi.mock('bcryptjs', async (original) => {
  const bcrypt = await original<typeof import('bcryptjs')>()
  return { ...bcrypt, compare: vi.fn(bcrypt.compare) }
})

let owner: Person
let other: Person

beforeAll(async () => {
  const admin = await newAdmin()
  owner = (await newTenant(admin)).owner
  other = (await newTenant(admin)).owner
})

beforeEach(() => {
  vi.mocked(compare).mockClear()
})

type Login = { name?: string; from?: string; body: object }

/** So many logins, as many at once as can be; how many had each status. */
async function flood(times: number, request: (n: number) => Login): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  let next = 0
  const client = async () => {
    for (let n = next++; n < times; n = next++) {
      const { name = 'login', body, ...rest } = request(n)
      const { status } = await call(name, { ...rest, body: { password: `wrong horse ${n}`, ...body } })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, client))
  return statuses
}

const hashes = (): number => vi.mocked(compare).mock.calls.length

describe('100 wrong passwords at once from one address reach the hash 5 times', () => {
  test.each([
    [100, 'login', false],
    [30, 'login', true],
    [30, 'createSession', true],
  ])('so do %i by %s (tenant named: %s)', async (times, name, named) => {
    const { email, tenant_id } = await newUser(owner, owner.tenant_id, 'author')
    vi.mocked(compare).mockClear()
    const statuses = await flood(times, () => ({ name, from: '192.0.2.1', body: { email, ...(named && { tenant_id }) } }))
    expect(statuses).toEqual({ 401: 5, 429: times - 5 })
    expect(hashes()).toBe(5)
    expect(await call('login', { body: { email, password: PASSWORD } })).toMatchObject({ status: 200 })
  })

  test('where nobody has the email, too', async () => {
    const email = newEmail()
    expect(await flood(30, () => ({ from: '192.0.2.4', body: { email } }))).toEqual({ 401: 5, 429: 25 })
    expect(hashes()).toBe(5)
  })

  test('once for each account where two have the email', async () => {
    const { email } = await newUser(owner, owner.tenant_id, 'author')
    await call('createUser', { as: other, params: { tenant_id: other.tenant_id }, body: { email, password: 'other horse' } })
    vi.mocked(compare).mockClear()
    expect(await flood(30, () => ({ from: '192.0.2.5', body: { email } }))).toEqual({ 401: 5, 429: 25 })
    expect(hashes()).toBe(10)
  })
})

test('wrong passwords at once from many addresses reach the hash as often as all may fail', async () => {
  const { email } = await newUser(owner, owner.tenant_id, 'author')
  vi.mocked(compare).mockClear()
  const statuses = await flood(60, (n) => ({ from: `198.51.100.${n}`, body: { email } }))
  expect(statuses).toEqual({ 401: 50, 429: 10 })
  expect(hashes()).toBe(50)
})

test('wrong passwords at once on many emails reach the hash as often as an address may fail', async () => {
  const statuses = await flood(110, () => ({ from: '203.0.113.1', body: { email: newEmail() } }))
  expect(statuses).toEqual({ 401: 100, 429: 10 })
  expect(hashes()).toBe(100)
})

test('a refused attempt reaches no hash, not with the right password either', async () => {
  const { email } = await newUser(owner, owner.tenant_id, 'author')
  await flood(6, () => ({ from: '203.0.113.2', body: { email } }))
  vi.mocked(compare).mockClear()
  expect(await call('login', { from: '203.0.113.2', body: { email, password: PASSWORD } })).toMatchObject({ status: 429 })
  expect(hashes()).toBe(0)
})
