import { createHash, randomBytes } from 'node:crypto'

const FORM = /^(mh_)?[0-9a-f]{64}$/

/** A new opaque token: 256 random bits as 64 hexadecimal characters. */
export const newToken = (): string => randomBytes(32).toString('hex')

/** A new API key: the same behind a prefix, by which people and secret scanners know it. */
export const newKey = (): string => `mh_${newToken()}`

/** Whether a bearer has the form of an opaque token or an API key. */
export const isToken = (bearer: string): boolean => FORM.test(bearer)

/** What the table keeps of a token. A digest is not a token: presenting one leads nowhere. */
export const digestToken = (token: string): string => createHash('sha256').update(token).digest('hex')
