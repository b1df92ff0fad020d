import { afterEach, describe, expect, test, vi } from 'vitest'
import { MAX_ID } from '#lib/ids.ts'
import { openCursor, sealCursor } from '#lib/table/cursor.ts'

const LIST = 'TENANT#1#BLOG#2\nPOST#\ndesc\n0\n9007199254740991'
const ID = 4_250_866_349_532_416
const REFUSED = expect.objectContaining({ status: 400, error: 'Cursor is invalid' })

/** What opening says: the id, or the error. */
function open(cursor: string, list = LIST, opened = openCursor): unknown {
  try {
    return opened(list, cursor)
  } catch (error) {
    return error
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

describe('a cursor', () => {
  test.each([0, 1, ID, 2 ** 32, MAX_ID])('comes back as the id %i', (id) => {
    expect(openCursor(LIST, sealCursor(LIST, id))).toBe(id)
  })

  test('is 32 characters of base64url, and always the same', () => {
    expect(sealCursor(LIST, ID)).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(sealCursor(LIST, ID)).toBe(sealCursor(LIST, ID))
  })

  test('is refused with any one of its bits changed', () => {
    const bytes = Buffer.from(sealCursor(LIST, ID), 'base64url')
    const forged = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const copy = Buffer.from(bytes)
      copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
      return copy.toString('base64url')
    })
    expect(forged).toHaveLength(192)
    expect(forged.map((cursor) => open(cursor))).toEqual(forged.map(() => REFUSED))
  })

  test.each([
    ['of another tenant', LIST.replace('TENANT#1', 'TENANT#2')],
    ['of another blog', LIST.replace('BLOG#2', 'BLOG#3')],
    ['in the other order', LIST.replace('desc', 'asc')],
    ['from another time on', LIST.replace('\n0\n', '\n1\n')],
    ['up to another time', LIST.replace('9007199254740991', '9007199254740990')],
    ['of nothing', ''],
  ])('is refused on the list %s', (_which, list) => {
    expect(open(sealCursor(LIST, ID), list)).toEqual(REFUSED)
  })

  test.each<[string, (cursor: string) => string]>([
    ['empty', () => ''],
    ['too short', (cursor) => cursor.slice(0, -1)],
    ['an id alone', (cursor) => cursor.slice(0, 11)],
    ['too long', (cursor) => `${cursor}A`],
    ['longer by some bytes', (cursor) => `${cursor}AAAA`],
    ['padded', (cursor) => `${cursor}=`],
    ['with a space', (cursor) => `${cursor} `],
    ['with a line break inside', (cursor) => `${cursor.slice(0, 8)}\n${cursor.slice(8)}`],
    ['plain text', () => 'next'],
    ['a number', () => String(ID)],
    ['no base64', () => '☃'.repeat(32)],
  ])('is refused when it is %s', (_what, spoil) => {
    expect(open(spoil(sealCursor(LIST, ID)))).toEqual(REFUSED)
  })

  test('has one spelling', () => {
    const spelled = [ID, ID + 1, ID + 2, ID + 3, ID + 4, ID + 5]
      .map((id) => sealCursor(LIST, id))
      .find((made) => /[-_]/.test(made))
    expect(open((spelled as string).replaceAll('-', '+').replaceAll('_', '/'))).toEqual(REFUSED)
  })

  test('of the previous secret goes on working, one of an older secret does not', async () => {
    const old = sealCursor(LIST, ID)
    const openWith = async (previous: string): Promise<unknown> => {
      vi.resetModules()
      vi.stubEnv('JWT_SECRET_PREVIOUS', previous)
      const { openCursor } = await import('#lib/table/cursor.ts')
      return open(old, LIST, openCursor)
    }
    vi.stubEnv('JWT_SECRET', 'a new secret of at least thirty-two bytes')
    expect(await openWith(process.env.JWT_SECRET as string)).toEqual(REFUSED)
    vi.unstubAllEnvs()
    const previous = process.env.JWT_SECRET as string
    vi.stubEnv('JWT_SECRET', 'a new secret of at least thirty-two bytes')
    expect(await openWith(previous)).toBe(ID)
  })
})
