import { compactVerify } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { signJwt, verifyJwt } from '#lib/auth/jwt.ts'
import { forge, HEADER, read, sign } from '#tests/support/jwt.ts'

const NOW = Date.UTC(2026, 10, 20, 14) / 1000
const claims = { user_id: 42, exp: NOW + 86_400 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('signJwt', () => {
  test('writes the header and the claims of the specification, and the HMAC over both', async () => {
    const jwt = await signJwt(claims)
    expect(read(jwt)).toEqual({ header: { alg: 'HS256', typ: 'JWT' }, claims })
    expect(jwt).toBe(forge({ payload: claims }))
    expect(jwt).toBe(sign(jwt.split('.').slice(0, 2).join('.')))
  })

  test('writes base64url without padding, whatever the length', async () => {
    const jwts = await Promise.all([1, 10, 100, 1000].map((user_id) => signJwt({ ...claims, user_id })))
    for (const jwt of jwts) expect(jwt).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{43}$/)
  })

  test('takes nothing but the two claims', async () => {
    const jwt = await signJwt({ ...claims, role: 'admin', email: 'ada@example.org' } as never)
    expect(read(jwt).claims).toEqual(claims)
  })
})

describe('verifyJwt', () => {
  test('gives the claims back', async () => {
    expect(await verifyJwt(await signJwt(claims))).toEqual(claims)
  })

  test.each<[string, number, boolean]>([
    ['when it is made', 0, true],
    ['a second before its exp', 86_399_000, true],
    ['a millisecond before its exp', 86_399_999, true],
    ['at its exp', 86_400_000, false],
    ['after its exp', 86_401_000, false],
  ])('%s', async (_when, passedMs, valid) => {
    const jwt = await signJwt(claims)
    vi.setSystemTime(NOW * 1000 + passedMs)
    expect(await verifyJwt(jwt)).toEqual(valid ? claims : undefined)
  })

  test('takes the largest integers that JSON keeps exact', async () => {
    const largest = { user_id: 2 ** 53 - 1, exp: 2 ** 53 - 1 }
    expect(await verifyJwt(forge({ payload: largest }))).toEqual(largest)
  })

  test('reads no claims but its two', async () => {
    expect(await verifyJwt(forge({ payload: { ...claims, role: 'admin' } }))).toEqual(claims)
  })

  test.each<[string, () => string]>([
    ['', () => ''],
    ['no dots', () => 'a'.repeat(64)],
    ['two parts', () => forge({ payload: claims }).replace(/\.[^.]*$/, '')],
    ['four parts', () => `${forge({ payload: claims })}.`],
    ['padding', () => `${forge({ payload: claims })}=`],
    ['another algorithm', () => forge({ header: { ...HEADER, alg: 'HS384' }, payload: claims, hash: 'sha384' })],
    ['another secret', () => forge({ payload: claims, secret: 'x'.repeat(32) })],
    ['no exp', () => forge({ payload: { user_id: 42 } })],
    ['no user_id', () => forge({ payload: { exp: claims.exp } })],
  ])('is undefined for %j', async (_what, token) => {
    expect(await verifyJwt(token())).toBeUndefined()
  })
})

describe('the example of RFC 7515, appendix A.1', () => {
  const HEAD = 'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9'
  const PAYLOAD = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'
  const SIGNATURE = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const key = Buffer.from('AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', 'base64url')

  test('is verified by the library that we use', async () => {
    const { payload, protectedHeader } = await compactVerify(`${HEAD}.${PAYLOAD}.${SIGNATURE}`, key, { algorithms: ['HS256'] })
    expect(protectedHeader).toEqual({ typ: 'JWT', alg: 'HS256' })
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({
      iss: 'joe',
      exp: 1300819380,
      'http://example.com/is_root': true,
    })
  })

  test('is refused under another key, and by us', async () => {
    const token = `${HEAD}.${PAYLOAD}.${SIGNATURE}`
    await expect(compactVerify(token, Buffer.alloc(64), { algorithms: ['HS256'] })).rejects.toThrow(
      'signature verification failed',
    )
    expect(await verifyJwt(token)).toBeUndefined()
  })
})
