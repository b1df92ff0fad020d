import * as z from 'zod/mini'
import { anyString, oneOf, time } from '#lib/fields.ts'
import type { PageQuery } from '#lib/table/page.ts'
import type { Fields } from './input.ts'

const LIMIT = { min: 1, max: 100, default: 20 }

const inRange = (digits: string): boolean =>
  /^\d{1,3}$/.test(digits) && Number(digits) >= LIMIT.min && Number(digits) <= LIMIT.max

const limit = z.pipe(
  anyString().check(
    z.refine(inRange, { error: `must be between ${LIMIT.min} and ${LIMIT.max}`, params: { code: 'out_of_range' } }),
  ),
  z.transform(Number),
)

/** What every list takes: newest first unless said otherwise. */
export const pageQuery = (defaultOrder: 'asc' | 'desc' = 'desc'): Fields<PageQuery> =>
  z.object({
    limit: z._default(limit, LIMIT.default),
    order: z._default(oneOf(['asc', 'desc']), defaultOrder),
    cursor: z.optional(anyString()),
    created_after: z.optional(time),
    created_before: z.optional(time),
  })
