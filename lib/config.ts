import * as z from 'zod/mini'

const seconds = (fallback: number) =>
  z.pipe(z._default(z.string().check(z.regex(/^[1-9]\d{0,8}$/)), String(fallback)), z.transform(Number))

const secret = z.string().check(z.refine((value) => Buffer.byteLength(value) >= 32, { error: 'must have at least 32 bytes' }))

const TableConfig = z.object({
  TABLE_NAME: z.string(),
  AWS_REGION: z._default(z.string(), 'us-east-1'),
  AWS_ENDPOINT_URL_DYNAMODB: z.optional(z.string()),
  // Only checked here: lib/log.ts reads it itself, since it must speak where the environment is not complete.
  LOG_LEVEL: z.optional(z.string().check(z.regex(/^(debug|info|warn|error)$/i))),
})

const AuthConfig = z.object({
  JWT_SECRET: secret,
  JWT_SECRET_PREVIOUS: z.optional(secret),
  JWT_LIFETIME_SECONDS: seconds(86_400),
  TOKEN_LIFETIME_SECONDS: seconds(2_592_000),
  LOGIN_TOKEN: z._default(z.enum(['opaque', 'jwt']), 'opaque'),
  BCRYPT_COST: z.pipe(z._default(z.string().check(z.regex(/^([4-9]|1\d)$/)), '10'), z.transform(Number)),
})

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

/** How passwords and tokens are made; lifetimes are in seconds. */
export const authConfig = fromEnvironment(AuthConfig)
