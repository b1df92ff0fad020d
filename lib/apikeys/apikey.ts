import * as z from 'zod/mini'
import { SCOPES } from '#lib/auth/actor.ts'
import { futureTime, id, idDigits, oneOf, text } from '#lib/fields.ts'

export const ApiKey = z.object({
  id,
  name: z.string(),
  scope: z.enum(SCOPES),
  expires_at: z.string(),
  created_at: z.string(),
  last_used_at: z.nullable(z.string()),
})
export type ApiKey = z.infer<typeof ApiKey>

/** What a user's list shows of a key as it is kept, until the table's own time to live takes it (`expires_at`, seconds of Unix time). */
export const ApiKeyRecord = z.extend(z.omit(ApiKey, { last_used_at: true }), {
  expires_at: z.int(),
  last_used_on: z.optional(z.string()),
})
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>

/** The key itself is shown once. */
export const CreatedApiKey = z.extend(ApiKey, { token: z.string() })
export type CreatedApiKey = z.infer<typeof CreatedApiKey>

/** A key may read, and lasts 90 days, unless said otherwise. */
export const NewApiKey = z.object({
  name: text(200),
  scope: z._default(oneOf(SCOPES), 'read'),
  expires_at: z.optional(futureTime),
})
export type NewApiKey = z.infer<typeof NewApiKey>

export const ApiKeyPath = z.object({ key_id: idDigits })
