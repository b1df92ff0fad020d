import * as z from 'zod/mini'

/** A whole number from 1 to 999,999,999. */
const positive = (fallback: number) =>
  z.pipe(z._default(z.string().check(z.regex(/^[1-9]\d{0,8}$/)), String(fallback)), z.transform(Number))

const secret = z.string().check(z.refine((value) => Buffer.byteLength(value) >= 32, { error: 'must have at least 32 bytes' }))

const TableConfig = z.object({
  TABLE_NAME: z.string(),
  AWS_REGION: z._default(z.string(), 'us-east-1'),
  AWS_ENDPOINT_URL_DYNAMODB: z.optional(z.string()),
  TABLE_TIMEOUT_MS: positive(2_000),
  // Only checked here: lib/log.ts reads it itself, since it must speak where the environment is not complete.
  LOG_LEVEL: z.optional(z.string().check(z.regex(/^(debug|info|warn|error)$/i))),
})

const AuthConfig = z.object({
  JWT_SECRET: secret,
  JWT_SECRET_PREVIOUS: z.optional(secret),
  JWT_LIFETIME_SECONDS: positive(86_400),
  TOKEN_LIFETIME_SECONDS: positive(2_592_000),
  LOGIN_TOKEN: z._default(z.enum(['opaque', 'jwt']), 'opaque'),
  BCRYPT_COST: z.pipe(z._default(z.string().check(z.regex(/^([4-9]|1\d)$/)), '10'), z.transform(Number)),
  LOGIN_FAILURES_PER_SOURCE: positive(5),
  LOGIN_FAILURES: positive(50),
  SOURCE_FAILURES: positive(100),
  LOCK_SECONDS: positive(900),
  LOCK_SECONDS_MAX: positive(3600),
  TENANT_WRITES_PER_MINUTE: positive(600),
})

const cents = z.int().check(z.minimum(0))
const lastDay = { last_day: z.optional(z.iso.date()) }

const Discount = z.union([
  z.strictObject({ percent: z.int().check(z.minimum(1), z.maximum(100)), ...lastDay }),
  z.strictObject({ amount_cents: cents, ...lastDay }),
])
/** A percentage or a fixed amount, until the end of its last day (UTC). */
export type Discount = z.infer<typeof Discount>

const Pricing = z.object({
  currency: z._default(z.string().check(z.regex(/^[A-Z]{3}$/)), 'EUR'),
  plans: z._default(z.object({ team: cents, business: cents }), { team: 2900, business: 9900 }),
  discounts: z._default(z.record(z.string(), Discount), {}),
})

const PricingConfig = z.object({ PRICING: z.pipe(z._default(z.string(), '{}'), z.pipe(z.transform(parseJson), Pricing)) })

/** What no schema accepts where the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Reads a part of the environment once, at its first use and not at import, so that tools can load a handler without any.
 * An empty variable counts as unset. Throws an error that names each variable that is missing or malformed.
 */
function fromEnvironment<T>(schema: z.core.$ZodType<T>): () => T {
  let known: T | undefined
  return () => (known ??= read(schema))
}

function read<T>(schema: z.core.$ZodType<T>): T {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
  const result = z.safeParse(schema, given)
  if (result.success) return result.data
  // The issue's own message may quote the value, which may be a secret.
  const problems = result.error.issues.map(({ path: [name = ''], code, message }) => {
    if (given[String(name)] === undefined) return `${String(name)} is not set`
    return `${String(name)} ${code === 'custom' ? message : 'is malformed'}`
  })
  throw new Error(`The environment is not complete: ${problems.join(', ')}`)
}

/** Where the table is. */
export const tableConfig = fromEnvironment(TableConfig)

/** How passwords and tokens are made, how often a login may fail and a tenant may write; lifetimes are in seconds. */
export const authConfig = fromEnvironment(AuthConfig)

/** What plans cost and which discounts there are. */
export const pricingConfig = fromEnvironment(PricingConfig)
