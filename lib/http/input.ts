import type * as z from 'zod/mini'
import { safeParse } from 'zod/mini'
import { ParamsMissing, ValidationFailed, type Violation } from '#lib/errors.ts'

/** An object schema, whose keys are the fields it takes. */
export type Fields<T> = z.core.$ZodType<T> & { shape: Record<string, z.core.$ZodType> }

/** The codes of zod's own issues as a client reads them; a rule of ours brings its code along. */
const CODES: Record<string, string> = { invalid_type: 'invalid_type', invalid_value: 'inclusion', invalid_format: 'invalid' }

/** `created_at` begins a sentence as `Created at`, and `tenant_id` as `Tenant`. */
function sentence(field: string, rest: string): string {
  const words = field.replace(/_id$/, '').replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${rest}`
}

export const violation = (field: string, code: string, rest: string): Violation => ({
  field,
  code,
  message: sentence(field, rest),
})

/** zod has one code for what is not in a list, a wrong type too. */
function codeOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'custom') return issue.params?.code
  const isNoString = issue.code === 'invalid_value' && typeof issue.input !== 'string'
  return CODES[isNoString ? 'invalid_type' : issue.code]
}

const toViolation = (issue: z.core.$ZodIssue): Violation =>
  violation(String(issue.path[0]), codeOf(issue) ?? 'invalid', issue.message)

/**
 * What a schema makes of a value. Throws a 422 with every sentence at once, in the order of the schema's fields; one that is given
 * more than once has no value to speak of.
 */
export function validate<T>(schema: Fields<T>, value: unknown, repeated: string[] = []): T {
  const result = safeParse(schema, value, { reportInput: true })
  const broken = (result.error?.issues ?? []).map(toViolation).filter(({ field }) => !repeated.includes(field))
  const violations = [...broken, ...repeated.map((name) => violation(name, 'repeated', 'is given more than once'))]
  const names = Object.keys(schema.shape)
  violations.sort((a, b) => names.indexOf(a.field) - names.indexOf(b.field))
  if (violations.length > 0 || !result.success) throw new ValidationFailed(violations)
  return result.data
}

/** Optional, or with a default. */
const isOptional = (field: z.core.$ZodType): boolean => field._zod.optin !== undefined

/**
 * Throws a 400 that names the absent keys: the required ones, or, where none is required and none of them all is given (a PATCH
 * without a change), all.
 */
export function requireFields(schema: Fields<unknown>, body: object): void {
  const names = Object.keys(schema.shape)
  const required = names.filter((name) => !isOptional(schema.shape[name] as z.core.$ZodType))
  const wanted = required.length > 0 || names.some((name) => Object.hasOwn(body, name)) ? required : names
  const missing = wanted.filter((name) => !Object.hasOwn(body, name))
  if (missing.length > 0) throw new ParamsMissing(missing)
}

/** The named values of a query or a form, and the names that it gives more than once; others are ignored. */
export function singleValues(pairs: URLSearchParams, names: string[]): { values: Record<string, string>; repeated: string[] } {
  const given = names.flatMap((name): [string, string][] =>
    pairs
      .getAll(name)
      .slice(0, 1)
      .map((value) => [name, value]),
  )
  return { values: Object.fromEntries(given), repeated: names.filter((name) => pairs.getAll(name).length > 1) }
}
