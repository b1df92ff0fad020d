import { describe, expect, test } from 'vitest'
import { digestToken, isToken, newKey, newToken, readKey } from '#lib/auth/tokens.ts'
import { MAX_ID } from '#lib/ids.ts'

describe('an opaque token', () => {
  test('is 64 hexadecimal digits, and no two are alike', () => {
    const tokens = Array.from({ length: 1000 }, newToken)
    expect(tokens.filter((token) => !/^[0-9a-f]{64}$/.test(token))).toEqual([])
    expect(new Set(tokens).size).toBe(1000)
  })

  test('has every bit by chance', () => {
    const tokens = Array.from({ length: 200 }, () => BigInt(`0x${newToken()}`))
    expect(tokens.reduce((all, token) => all | token)).toBe(2n ** 256n - 1n)
    expect(tokens.reduce((all, token) => all & token)).toBe(0n)
  })

  test('is kept as its SHA-256 (FIPS 180-4)', () => {
    expect(digestToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test.each<[string, string, boolean]>([
    ['64 small digits', 'a'.repeat(64), true],
    ['64 capitals', 'A'.repeat(64), false],
    ['63 digits', 'a'.repeat(63), false],
    ['65 digits', 'a'.repeat(65), false],
    ['a g', `${'a'.repeat(63)}g`, false],
    ['a line break at its end', `${'a'.repeat(64)}\n`, false],
    ['a line of its own', `x\n${'a'.repeat(64)}`, false],
    ['nothing', '', false],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA', false],
  ])('has one form: %s', (_what, text, is) => {
    expect(isToken(text)).toBe(is)
  })
})

describe('an API key', () => {
  test.each([
    [1, 1],
    [4_251_001_815_728_321, 4_251_001_820_854_170],
    [MAX_ID, MAX_ID],
    [1, MAX_ID],
  ])('of user %d and id %d says so, in 64 hexadecimal digits', (user_id, id) => {
    const key = newKey(user_id, id)
    expect(key).toMatch(/^mh_[0-9a-f]{64}$/)
    expect(readKey(key)).toEqual({ user_id, id })
    expect(isToken(key)).toBe(false)
  })

  test('has a secret of which every bit comes by chance', () => {
    const secrets = Array.from({ length: 200 }, () => BigInt(`0x${newKey(1, 1).slice(31)}`))
    expect(secrets.reduce((all, secret) => all | secret)).toBe(2n ** 144n - 1n)
    expect(secrets.reduce((all, secret) => all & secret)).toBe(0n)
    expect(new Set(secrets).size).toBe(200)
  })

  test.each<[string, string]>([
    ['an opaque token', 'a'.repeat(64)],
    ['another prefix', `mk_${'a'.repeat(64)}`],
    ['63 digits', `mh_${'a'.repeat(63)}`],
    ['65 digits', `mh_${'a'.repeat(65)}`],
    ['capitals', `mh_${'A'.repeat(64)}`],
    ['a line break at its end', `mh_${'a'.repeat(64)}\n`],
    ['nothing', ''],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'],
  ])('has one form: %s is none', (_what, text) => {
    expect(readKey(text)).toBeUndefined()
  })
})
