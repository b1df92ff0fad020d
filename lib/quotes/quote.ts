import * as z from 'zod/mini'
import { anyString, idDigits, oneOf } from '#lib/fields.ts'

const PLANS = ['team', 'business'] as const

/** Prices are whole cents. */
export const Quote = z.object({
  plan: z.enum(PLANS),
  price_cents: z.int(),
  discount_cents: z.int(),
  total_cents: z.int(),
  currency: z.string(),
  discount: z.nullable(z.string()),
})
export type Quote = z.infer<typeof Quote>

export const NewQuote = z.object({ plan: oneOf(PLANS), discount: z.optional(anyString()) })
export type NewQuote = z.infer<typeof NewQuote>

export const QuotePath = z.object({ tenant_id: idDigits })
