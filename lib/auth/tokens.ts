import { createHash, randomBytes } from 'node:crypto'

const TOKEN = /^[0-9a-f]{64}$/
const API_KEY = /^mh_([0-9a-f]{14})([0-9a-f]{14})[0-9a-f]{36}$/

/** 53 bits, the longest id, and three to spare. */
const ID_DIGITS = 14
/** 144 bits, which leaves 28 digits of 64 to the two ids. */
const SECRET_BYTES = 18

/** A new opaque token: 256 random bits as 64 hexadecimal characters. */
export const newToken = (): string => randomBytes(32).toString('hex')

/** Whether a bearer has the form of an opaque token. */
export const isToken = (bearer: string): boolean => TOKEN.test(bearer)

/**
 * A new API key: a prefix, by which people and secret scanners know it, then 64 hexadecimal characters. They begin with where the
 * key is kept, its user's id and its own, so that it is found and ended in one round trip; 144 random bits are its secret.
 */
export const newKey = (user_id: number, id: number): string =>
  `mh_${hexOf(user_id)}${hexOf(id)}${randomBytes(SECRET_BYTES).toString('hex')}`

const hexOf = (id: number): string => id.toString(16).padStart(ID_DIGITS, '0')

/** Where the API key is kept that a bearer may be; undefined where it has not the form of one. */
export function readKey(bearer: string): { user_id: number; id: number } | undefined {
  const [, user = '', id = ''] = API_KEY.exec(bearer) ?? []
  return user === '' ? undefined : { user_id: Number.parseInt(user, 16), id: Number.parseInt(id, 16) }
}

/** What the table keeps of a token or a key. A digest is no token: presenting one leads nowhere. */
export const digestToken = (token: string): string => createHash('sha256').update(token).digest('hex')
