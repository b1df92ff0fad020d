import { createHmac, timingSafeEqual } from 'node:crypto'
import { authConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'

const ID_BYTES = 8
const SEAL_BYTES = 16

const seal = (secret: string, list: string, id: Buffer): Buffer =>
  createHmac('sha256', secret).update('cursor\n').update(list).update('\n').update(id).digest().subarray(0, SEAL_BYTES)

/**
 * A position in a list as an opaque string: the last id given out, sealed for that list (partition, order and range). It can be
 * used nowhere else, and nobody else can make one.
 */
export function sealCursor(list: string, lastId: number): string {
  const id = Buffer.alloc(ID_BYTES)
  id.writeBigUInt64BE(BigInt(lastId))
  return Buffer.concat([id, seal(authConfig().JWT_SECRET, list, id)]).toString('base64url')
}

/** The id that a cursor stands at. Throws a 400 for anything that was not sealed for this list. */
export function openCursor(list: string, cursor: string): number {
  const bytes = Buffer.from(cursor, 'base64url')
  const id = bytes.subarray(0, ID_BYTES)
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = authConfig()
  const secrets = [JWT_SECRET, JWT_SECRET_PREVIOUS].filter((secret) => secret !== undefined)
  const isOurs = (secret: string) => timingSafeEqual(bytes.subarray(ID_BYTES), seal(secret, list, id))
  const isWhole = bytes.length === ID_BYTES + SEAL_BYTES && bytes.toString('base64url') === cursor
  if (!isWhole || !secrets.some(isOurs)) throw failure('InvalidCursor')
  return Number(id.readBigUInt64BE())
}
