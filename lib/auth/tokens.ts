import { createHash, randomBytes } from 'node:crypto'

const FORM = /^[0-9a-f]{64}$/

/** A new opaque token: 256 random bits as 64 hexadecimal characters. */
export const newToken = (): string => randomBytes(32).toString('hex')

export const isToken = (bearer: string): boolean => FORM.test(bearer)

/** What the table keeps of a token. A digest is not a token: presenting one leads nowhere. */
export const digestToken = (token: string): string => createHash('sha256').update(token).digest('hex')
