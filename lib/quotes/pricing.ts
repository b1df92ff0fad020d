import { type Discount, pricingConfig } from '#lib/config.ts'
import { DomainFailure } from '#lib/errors.ts'
import type { NewQuote, Quote } from './quote.ts'

/** What a plan costs, in whole cents. Throws a 422 where the discount code is unknown or its last day (UTC) is over. */
export function quote({ plan, discount: code }: NewQuote, now = new Date()): Quote {
  const { currency, plans } = pricingConfig().PRICING
  const price_cents = plans[plan]
  const discount_cents = code === undefined ? 0 : Math.min(price_cents, reduction(findDiscount(code, now), price_cents))
  return { plan, price_cents, discount_cents, total_cents: price_cents - discount_cents, currency, discount: code ?? null }
}

function findDiscount(code: string, now: Date): Discount {
  const { discounts } = pricingConfig().PRICING
  const discount = Object.hasOwn(discounts, code) ? discounts[code] : undefined
  const isOver = discount?.last_day !== undefined && now.toISOString().slice(0, 10) > discount.last_day
  if (!discount || isOver) throw new DomainFailure('Unrecognized discount code')
  return discount
}

/** Part of a cent is not given. */
const reduction = (discount: Discount, price_cents: number): number =>
  'percent' in discount ? Math.floor((price_cents * discount.percent) / 100) : discount.amount_cents
