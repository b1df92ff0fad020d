import { randomUUID } from 'node:crypto'
import { compare } from 'bcryptjs'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { metered } from '#tests/cost/meter.ts'
import { call } from '#tests/support/call.ts'
import { newAdmin, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

// The real comparison, counted.
vi.mock('bcryptjs', async (original) => {
  const bcrypt = await original<typeof import('bcryptjs')>()
  return { ...bcrypt, compare: vi.fn(bcrypt.compare) }
})

const DIGEST_OF_COST_4 = /^\$2[aby]\$04\$[./A-Za-z0-9]{53}$/

let person: Person

beforeAll(async () => {
  person = await newUser(await newAdmin(), 1, 'author')
})

beforeEach(() => {
  vi.mocked(compare).mockClear()
})

describe.each(['login', 'createSession'])('%s does the work of one comparison of the configured cost', (name) => {
  test.each<[string, number, () => object]>([
    ['a right password', 200, () => ({})],
    ['a wrong password', 401, () => ({ password: 'wrong horse' })],
    ['an unknown email', 401, () => ({ email: `${randomUUID()}@example.org` })],
    ['a malformed email', 401, () => ({ email: 'ada' })],
    ['an empty email', 401, () => ({ email: '' })],
    ['an unknown tenant', 401, () => ({ tenant_id: 999 })],
    ['a password that nobody can have', 401, () => ({ password: 'p'.repeat(73) })],
    ['an empty password', 401, () => ({ password: '' })],
    ['a password with a NUL', 401, () => ({ password: `${PASSWORD}\0` })],
    ['an unknown email and an empty password', 401, () => ({ email: 'nobody@example.org', password: '' })],
  ])('for %s', async (_what, status, fields) => {
    expect(await call(name, { body: { email: person.email, password: PASSWORD, ...fields() } })).toMatchObject({ status })
    expect(vi.mocked(compare).mock.calls).toEqual([[expect.any(String), expect.stringMatching(DIGEST_OF_COST_4)]])
  })
})

test.each([
  ['with its tenant', { tenant_id: 1 }],
  ['without its tenant', {}],
])('a login %s asks the table the same whether anybody has the email', async (_with, tenant) => {
  const billOf = async (email: string) =>
    (await metered(() => call('login', { body: { email, password: 'wrong horse', ...tenant } }))).bill
  const known = await newUser(await newAdmin(), 1, 'author')
  expect(await billOf(`${randomUUID()}@example.org`)).toEqual(await billOf(known.email))
})
