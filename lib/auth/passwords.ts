import { compare, hash } from 'bcryptjs'
import * as z from 'zod/mini'
import { authConfig } from '#lib/config.ts'
import { password } from '#lib/fields.ts'

/** bcrypt's digest of a valid password. */
export const digestPassword = (plain: string): Promise<string> => hash(plain, authConfig().BCRYPT_COST)

/** A digest of the configured cost that no password has: 53 characters of bcrypt's base64 make its salt and its hash. */
const impossibleDigest = (): string => `$2b$${String(authConfig().BCRYPT_COST).padStart(2, '0')}$${'.'.repeat(53)}`

/**
 * Whether a password is the digest's. Always does the work of one comparison, also where there is no digest, or where the
 * password is one that could never have been set: bcrypt reads 72 bytes at most, and two long passwords would be one.
 */
export async function passwordFits(plain: string, digest: string | undefined): Promise<boolean> {
  const settable = z.safeParse(password, plain).success
  const fits = await compare(settable ? plain : '', digest ?? impossibleDigest())
  return fits && settable && digest !== undefined
}
