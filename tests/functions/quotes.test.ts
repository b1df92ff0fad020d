import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answer, ask, forbidden, gone, invalid, malformed, missing, notFound, unauthorized } from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { changesSince } from '#tests/support/changes.ts'
import { allItems } from '#tests/support/table.ts'
import { type House, newAdmin, newTenant, type Person } from '#tests/support/world.ts'

const PRICING = JSON.stringify({
  currency: 'CHF',
  plans: { team: 3333, business: 9900 },
  discounts: { TENTH: { percent: 10 }, FIXED: { amount_cents: 5000 }, SPRING: { percent: 50, last_day: '2027-03-31' } },
})

process.env.PRICING = PRICING

const unrecognized: Answer = {
  status: 422,
  body: { success: false, error: 'Unrecognized discount code', details: null },
}

let admin: Person
let house: House

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  vi.resetModules()
})

const quote = (body: unknown, as: Person | undefined = house.owner, tenant_id = house.tenant_id) =>
  ask('createQuote', { as, params: { tenant_id }, body })

const priced = (plan: string, price_cents: number, discount_cents = 0, discount: string | null = null): Answer => ({
  status: 201,
  body: {
    success: true,
    quote: { plan, price_cents, discount_cents, total_cents: price_cents - discount_cents, currency: 'CHF', discount },
  },
})

describe('POST /tenants/{tenant_id}/quotes', () => {
  test.each<[object, Answer]>([
    [{ plan: 'team' }, priced('team', 3333)],
    [{ plan: 'business' }, priced('business', 9900)],
    [{ plan: 'team', discount: 'TENTH' }, priced('team', 3333, 333, 'TENTH')],
    [{ plan: 'team', discount: 'FIXED' }, priced('team', 3333, 3333, 'FIXED')],
    [{ plan: 'business', discount: 'FIXED' }, priced('business', 9900, 5000, 'FIXED')],
    [{ plan: 'team', price_cents: 1, total_cents: 1, currency: 'EUR', tenant_id: 1 }, priced('team', 3333)],
  ])('answers %j', async (body, answer) => {
    expect(await quote(body)).toEqual(answer)
  })

  test.each<[string, unknown, Answer]>([
    ['no plan', {}, missing('plan')],
    ['an unknown plan', { plan: 'free' }, invalid(['plan', 'inclusion', 'Plan is not included in the list'])],
    ['a plan in capitals', { plan: 'TEAM' }, invalid(['plan', 'inclusion', 'Plan is not included in the list'])],
    ['a plan of another type', { plan: null }, invalid(['plan', 'invalid_type', 'Plan must be a string'])],
    ['an inherited plan', { plan: 'toString' }, invalid(['plan', 'inclusion', 'Plan is not included in the list'])],
    [
      'a discount that is null',
      { plan: 'team', discount: null },
      invalid(['discount', 'invalid_type', 'Discount must be a string']),
    ],
    [
      'a discount that is a number',
      { plan: 'team', discount: 10 },
      invalid(['discount', 'invalid_type', 'Discount must be a string']),
    ],
    ['an unknown discount', { plan: 'team', discount: 'TWENTIETH' }, unrecognized],
    ['an empty discount', { plan: 'team', discount: '' }, unrecognized],
    ['a discount in other letters', { plan: 'team', discount: 'tenth' }, unrecognized],
    ['an inherited discount', { plan: 'team', discount: '__proto__' }, unrecognized],
    ['another inherited discount', { plan: 'team', discount: 'constructor' }, unrecognized],
    ['a long discount', { plan: 'team', discount: 'X'.repeat(100_000) }, unrecognized],
  ])('is refused with %s', async (_what, body, answer) => {
    expect(await quote(body)).toEqual(answer)
  })

  test.each([
    ['in its last millisecond', '2027-03-31T23:59:59.999Z', priced('business', 9900, 4950, 'SPRING')],
    ['in the next', '2027-04-01T00:00:00.000Z', unrecognized],
  ])('takes a discount until its last day is over, by UTC: %s', async (_when, now, answer) => {
    const { email, tenant_id } = house.owner
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(now) })
    const { body } = await call('login', { body: { email, tenant_id, password: 'correct horse' } })
    house.owner.token = body.token
    expect(await quote({ plan: 'business', discount: 'SPRING' })).toEqual(answer)
  })

  test('is for admins anywhere and owners at home', async () => {
    const foreign = (await newTenant(admin)).owner
    expect(await quote({ plan: 'team' }, admin)).toEqual(priced('team', 3333))
    expect(await quote({ plan: 'team' }, admin, 1)).toEqual(priced('team', 3333))
    for (const as of [house.author, house.reader]) expect(await quote({ plan: 'team' }, as)).toEqual(forbidden)
    expect(await quote({ plan: 'team' }, foreign)).toEqual(notFound)
    expect(await quote({ plan: 'team' }, house.owner, 1)).toEqual(notFound)
    expect(await ask('createQuote', { params: { tenant_id: house.tenant_id }, body: { plan: 'team' } })).toEqual(unauthorized)
  })

  test('knows no tenant that is not there', async () => {
    const { tenant_id } = await newTenant(admin)
    for (const id of malformed(tenant_id)) {
      expect(await ask('createQuote', { as: admin, params: { tenant_id: id }, body: { plan: 'team' } }), id).toEqual(notFound)
    }
    expect(await quote({ plan: 'team' }, admin, tenant_id + 1)).toEqual(notFound)
    expect(await ask('deleteTenant', { as: admin, params: { tenant_id } })).toEqual(gone)
    expect(await quote({ plan: 'team' }, admin, tenant_id)).toEqual(notFound)
  })

  test('keeps nothing', async () => {
    const before = await allItems()
    await quote({ plan: 'team', discount: 'TENTH' })
    expect(await changesSince(before)).toEqual([])
  })

  test('names no path of its own: there is nothing to find there', async () => {
    const { headers } = await call('createQuote', {
      as: house.owner,
      params: { tenant_id: house.tenant_id },
      body: { plan: 'team' },
    })
    expect(headers).not.toHaveProperty('location')
    expect(headers).toMatchObject({ 'cache-control': 'no-store' })
  })

  test('stops at its first call where PRICING is malformed, and says so in the log alone', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.stubEnv('PRICING', PRICING.replace('3333', '"secret"'))
    vi.resetModules()
    expect(await quote({ plan: 'business' })).toEqual({ status: 500, body: { success: false, error: 'Something went wrong' } })
    expect(log.mock.calls).toHaveLength(1)
    expect(JSON.parse(log.mock.calls[0]?.[0])).toMatchObject({
      message: 'Unexpected failure',
      error: { message: 'The environment is not complete: PRICING is malformed' },
    })
    expect(log.mock.calls[0]?.[0]).not.toContain('secret')
  })
})
