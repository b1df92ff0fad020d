import * as z from 'zod/mini'
import type { Page } from '#lib/table/page.ts'

/** How a handler's result becomes a body. The schema is a filter as well: what it does not name does not leave. */
export type Reply<T> = {
  body: (result: T) => unknown
  /** Where a list goes on, null at its end; undefined for what is no list. */
  next?: (result: T) => string | null
}

type Schema<T> = z.core.$ZodType<unknown, T>

/** The record itself, as the specification writes posts, logins and the profile. */
export const bare = <T>(schema: Schema<T>): Reply<T> => ({ body: (result) => z.parse(schema, result) })

/** The envelope: the record under its name. */
export function named<T>(name: string, record: Schema<T>): Reply<T> {
  const schema = z.object({ success: z.literal(true), [name]: record })
  return { body: (result) => z.parse(schema, { success: true, [name]: result }) }
}

/** The envelope of a list: one page of records under their name, and the cursor of the next. */
export function listOf<T>(name: string, record: Schema<T>): Reply<Page<T>> {
  const schema = z.object({ success: z.literal(true), [name]: z.array(record), next_cursor: z.nullable(z.string()) })
  return {
    body: ({ items, next }) => z.parse(schema, { success: true, [name]: items, next_cursor: next }),
    next: ({ next }) => next,
  }
}
