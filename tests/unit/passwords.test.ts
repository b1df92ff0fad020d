import { getRounds } from 'bcryptjs'
import { beforeAll, describe, expect, test } from 'vitest'
import { digestPassword, passwordFits } from '#lib/auth/passwords.ts'

const PASSWORD = 'correct horse'

let digest: string

beforeAll(async () => {
  digest = await digestPassword(PASSWORD)
})

describe('a digest', () => {
  test('is of the configured cost, and never twice the same', async () => {
    expect(digest).toMatch(/^\$2b\$04\$[./A-Za-z0-9]{53}$/)
    expect(getRounds(digest)).toBe(4)
    expect(await digestPassword(PASSWORD)).not.toBe(digest)
  })
})

describe('passwordFits', () => {
  test.each<[string, string, boolean]>([
    ['the password', PASSWORD, true],
    ['another', 'wrong horse', false],
    ['in capitals', PASSWORD.toUpperCase(), false],
    ['one with a space at its end', `${PASSWORD} `, false],
    ['one with a NUL at its end', `${PASSWORD}\0`, false],
    ['nothing', '', false],
  ])('is decided by the digest: %s', async (_what, plain, fits) => {
    expect(await passwordFits(plain, digest)).toBe(fits)
  })

  test.each(['', PASSWORD, 'x'.repeat(100)])('is never true where there is no digest (%j)', async (plain) => {
    expect(await passwordFits(plain, undefined)).toBe(false)
  })

  test.each<[string, string, string]>([
    ['an empty password', '', ''],
    ['a short one', 'horse', 'horse'],
    ['one with a NUL', `${PASSWORD}\0x`, `${PASSWORD}\0x`],
    ['one of 73 bytes', 'p'.repeat(73), 'p'.repeat(72)],
  ])('is never true for what could not have been set: %s', async (_what, plain, hashed) => {
    expect(await passwordFits(plain, await digestPassword(hashed))).toBe(false)
  })

  // A test vector of crypt_blowfish: a digest of 72 bytes, which bcrypt took of more.
  test("knows other implementations' digests", async () => {
    const known = '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui'
    const plain = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
    expect(await passwordFits(plain, known)).toBe(true)
    expect(await passwordFits(`${plain}chars after 72 are ignored`, known)).toBe(false)
  })

  test.each(['é', 'e\u0301'])('takes %j as it was written, byte for byte', async (letter) => {
    const made = await digestPassword(`caf${letter} noir`)
    expect(await passwordFits(`caf${letter} noir`, made)).toBe(true)
    expect(await passwordFits(`caf${letter === 'é' ? 'e\u0301' : 'é'} noir`, made)).toBe(false)
  })
})
