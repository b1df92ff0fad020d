import { jwtVerify, SignJWT } from 'jose'
import { authConfig } from '#lib/config.ts'
import { MAX_ID } from '#lib/ids.ts'

export type Claims = { user_id: number; exp: number }

const ALGORITHM = 'HS256'
const PART = /^[A-Za-z0-9_-]+$/

const keyOf = (secret: string): Uint8Array => new TextEncoder().encode(secret)

/** A signed token with exactly the specification's header and claims. `exp` is in seconds of Unix time. */
export function signJwt({ user_id, exp }: Claims): Promise<string> {
  return new SignJWT({ user_id, exp }).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' }).sign(keyOf(authConfig().JWT_SECRET))
}

/** RFC 7515, section 2: base64url without padding. Each part has one spelling only. */
const isCanonical = (part: string): boolean => PART.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part

const isInteger = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= max

/**
 * The claims of a token that we signed and that has not expired, or undefined. Not checked here: that the user exists, and that
 * the token is younger than the user's sessions mark. jose takes padding, white space and a missing `exp`; we don't.
 */
export async function verifyJwt(token: string): Promise<Claims | undefined> {
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = authConfig()
  for (const secret of [JWT_SECRET, JWT_SECRET_PREVIOUS]) {
    const claims = secret && (await claimsUnder(secret, token))
    if (claims) return claims
  }
  return undefined
}

async function claimsUnder(secret: string, token: string): Promise<Claims | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), { algorithms: [ALGORITHM] })
    const { user_id, exp } = payload
    return isInteger(user_id, MAX_ID) && isInteger(exp, MAX_ID) ? { user_id, exp } : undefined
  } catch {
    return undefined
  }
}
