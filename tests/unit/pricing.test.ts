import { afterEach, describe, expect, test, vi } from 'vitest'
import type { NewQuote, Quote } from '#lib/quotes/quote.ts'

const PRICING = {
  currency: 'USD',
  plans: { team: 2999, business: 10_001 },
  discounts: {
    TENTH: { percent: 10 },
    THIRD: { percent: 33 },
    ONE: { percent: 1 },
    ALL: { percent: 100 },
    FIXED: { amount_cents: 500 },
    NONE: { amount_cents: 0 },
    HUGE: { amount_cents: 9_007_199_254_740_991 },
    SPRING: { percent: 50, last_day: '2027-03-31' },
    LEAP: { amount_cents: 1, last_day: '2028-02-29' },
  },
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** The module as a function finds it that starts with this setting. */
async function pricing(setting: string = JSON.stringify(PRICING)) {
  vi.resetModules()
  vi.stubEnv('PRICING', setting)
  return (await import('#lib/quotes/pricing.ts')).quote
}

describe('a quote', () => {
  test.each<[NewQuote, price: number, discount: number, total: number]>([
    [{ plan: 'team' }, 2999, 0, 2999],
    [{ plan: 'business' }, 10_001, 0, 10_001],
    [{ plan: 'team', discount: 'TENTH' }, 2999, 299, 2700],
    [{ plan: 'team', discount: 'THIRD' }, 2999, 989, 2010],
    [{ plan: 'business', discount: 'THIRD' }, 10_001, 3300, 6701],
    [{ plan: 'team', discount: 'ONE' }, 2999, 29, 2970],
    [{ plan: 'team', discount: 'ALL' }, 2999, 2999, 0],
    [{ plan: 'team', discount: 'FIXED' }, 2999, 500, 2499],
    [{ plan: 'team', discount: 'NONE' }, 2999, 0, 2999],
    [{ plan: 'business', discount: 'HUGE' }, 10_001, 10_001, 0],
  ])('of %j is whole cents, part of a cent never given', async (asked, price_cents, discount_cents, total_cents) => {
    const expected: Quote = {
      plan: asked.plan,
      price_cents,
      discount_cents,
      total_cents,
      currency: 'USD',
      discount: asked.discount ?? null,
    }
    expect((await pricing())(asked)).toEqual(expected)
  })

  test.each([
    ['2027-01-01T00:00:00.000Z', 'SPRING'],
    ['2027-03-31T00:00:00.000Z', 'SPRING'],
    ['2027-03-31T23:59:59.999Z', 'SPRING'],
    // Already April to the east, and still March where the code counts.
    ['2027-04-01T01:59:59.999+02:00', 'SPRING'],
    ['2028-02-29T23:59:59.999Z', 'LEAP'],
  ])('at %s takes %s, whose last day is not over', async (now, discount) => {
    const quote = await pricing()
    expect(quote({ plan: 'team', discount }, new Date(now))).toMatchObject({ discount })
  })

  test.each([
    ['2027-04-01T00:00:00.000Z', 'SPRING'],
    ['2027-03-31T20:00:00.000-04:00', 'SPRING'],
    ['2028-03-01T00:00:00.000Z', 'LEAP'],
    ['2099-12-31T00:00:00.000Z', 'SPRING'],
  ])('at %s does not know %s any more', async (now, discount) => {
    const quote = await pricing()
    const error = expect.objectContaining({ status: 422, message: 'Unrecognized discount code', details: null })
    expect(() => quote({ plan: 'team', discount }, new Date(now))).toThrow(error)
  })

  test.each([
    '',
    ' ',
    'tenth',
    'TENTH ',
    ' TENTH',
    'TENTH\0',
    'TEN',
    '10',
    'team',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('does not know the discount %j', async (discount) => {
    const quote = await pricing()
    expect(() => quote({ plan: 'team', discount })).toThrow(
      expect.objectContaining({ status: 422, message: 'Unrecognized discount code' }),
    )
  })

  test('has prices where nothing is set, and no discounts', async () => {
    const quote = await pricing('')
    expect(quote({ plan: 'team' })).toMatchObject({ price_cents: 2900, currency: 'EUR' })
    expect(quote({ plan: 'business' })).toMatchObject({ price_cents: 9900, currency: 'EUR' })
    expect(() => quote({ plan: 'team', discount: 'TENTH' })).toThrow('Unrecognized discount code')
  })

  test('may cost nothing', async () => {
    const quote = await pricing(JSON.stringify({ plans: { team: 0, business: 0 }, discounts: { A: { percent: 50 } } }))
    expect(quote({ plan: 'team', discount: 'A' })).toMatchObject({ price_cents: 0, discount_cents: 0, total_cents: 0 })
  })
})

describe('PRICING', () => {
  test.each<[string, unknown]>([
    ['no JSON', '{'],
    ['a list', []],
    ['a number', 7],
    ['null', 'null'],
    ['a currency of two letters', { currency: 'EU' }],
    ['a currency in small letters', { currency: 'eur' }],
    ['a plan too few', { plans: { team: 1 } }],
    ['a price with a fraction', { plans: { team: 1.5, business: 1 } }],
    ['a price below zero', { plans: { team: -1, business: 1 } }],
    ['a price in words', { plans: { team: '1', business: 1 } }],
    ['a price beyond exact integers', { plans: { team: 2 ** 53, business: 1 } }],
    ['a percentage of 0', { discounts: { A: { percent: 0 } } }],
    ['a percentage of 101', { discounts: { A: { percent: 101 } } }],
    ['a percentage with a fraction', { discounts: { A: { percent: 12.5 } } }],
    ['an amount below zero', { discounts: { A: { amount_cents: -1 } } }],
    ['an amount with a fraction', { discounts: { A: { amount_cents: 0.5 } } }],
    ['both a percentage and an amount', { discounts: { A: { percent: 10, amount_cents: 1 } } }],
    ['neither of them', { discounts: { A: {} } }],
    ['a discount that is a number', { discounts: { A: 10 } }],
    ['a last day with a time', { discounts: { A: { percent: 10, last_day: '2027-03-31T00:00:00Z' } } }],
    ['a last day that no month has', { discounts: { A: { percent: 10, last_day: '2027-02-29' } } }],
    ['a misspelt last day', { discounts: { A: { percent: 10, lastday: '2027-02-28' } } }],
  ])('is refused as a whole: %s', async (_what, setting) => {
    const quote = await pricing(typeof setting === 'string' ? setting : JSON.stringify(setting))
    expect(() => quote({ plan: 'team' })).toThrow(new Error('The environment is not complete: PRICING is malformed'))
  })
})
