import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Login, Principal, Token } from '#lib/auth/identity.ts'
import { digestToken } from '#lib/auth/tokens.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import { replace, transact } from '#lib/table/transact.ts'
import { call } from '#tests/support/call.ts'
import { logIn, newAdmin, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

const LIFETIME = 2_592_000
const UNAUTHORIZED = { status: 401, body: { error: 'Unauthorized' }, headers: { 'www-authenticate': 'Bearer' } }

let admin: Person
let person: Person

beforeAll(async () => {
  admin = await newAdmin()
  person = await newUser(admin, 1, 'author')
})

const present = (headers: Record<string, string>) => call('showProfile', { headers })

describe('the bearer rule', () => {
  test.each<[string, (token: string) => string]>([
    ['Bearer and the token', (token) => `Bearer ${token}`],
    ['the token alone', (token) => token],
    ['another scheme', (token) => `Token ${token}`],
    ['several words', (token) => `Token a b ${token}`],
    ['a lower-case scheme', (token) => `bearer ${token}`],
    ['two spaces', (token) => `Bearer  ${token}`],
    ['a space before it', (token) => ` ${token}`],
    ['another token before it', (token) => `Bearer ${'0'.repeat(64)} ${token}`],
    ['a comma before it', (token) => `Basic YTpi, Bearer ${token}`],
  ])('takes the last space-separated part: %s', async (_what, value) => {
    expect(await present({ authorization: value(person.token) })).toMatchObject({ status: 200, body: { id: person.id } })
  })

  test.each(['authorization', 'Authorization', 'AUTHORIZATION', 'aUthOrizAtion'])('finds the header as %s', async (name) => {
    expect(await present({ [name]: `Bearer ${person.token}` })).toMatchObject({ status: 200, body: { id: person.id } })
  })

  test.each<[string, (token: string) => Record<string, string>]>([
    ['no header', () => ({})],
    ['an empty header', () => ({ authorization: '' })],
    ['a space alone', () => ({ authorization: ' ' })],
    ['the scheme alone', () => ({ authorization: 'Bearer' })],
    ['the scheme and a space', () => ({ authorization: 'Bearer ' })],
    ['a space after the token', (token) => ({ authorization: `Bearer ${token} ` })],
    ['a word after the token', (token) => ({ authorization: `Bearer ${token} x` })],
    ['a comma after the token', (token) => ({ authorization: `Bearer ${token},` })],
    ['a tab instead of the space', (token) => ({ authorization: `Bearer\t${token}` })],
    ['a line break after the token', (token) => ({ authorization: `Bearer ${token}\n` })],
    ['quotes around the token', (token) => ({ authorization: `Bearer "${token}"` })],
    ['another header', (token) => ({ 'x-authorization': `Bearer ${token}` })],
  ])('refuses %s', async (_what, headers) => {
    expect(await present(headers(person.token))).toMatchObject(UNAUTHORIZED)
  })
})

describe('an opaque token', () => {
  test.each<[string, (token: string) => string]>([
    ['its digest', (token) => digestToken(token)],
    ['its digest of the digest', (token) => digestToken(digestToken(token))],
    ['in capitals', (token) => token.toUpperCase()],
    ['without its last digit', (token) => token.slice(0, -1)],
    ['with one digit more', (token) => `${token}0`],
    ['with another last digit', (token) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')],
    ['in fullwidth digits', (token) => token.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))],
    ['that nobody got', () => '0'.repeat(64)],
    ['that is a key of the table', (token) => `TOKEN#${digestToken(token)}`],
    ['of 100,000 digits', () => '0'.repeat(100_000)],
  ])('is refused %s', async (_what, token) => {
    expect(await present({ authorization: `Bearer ${token(person.token)}` })).toMatchObject(UNAUTHORIZED)
  })

  test('is in the table as its SHA-256 alone', async () => {
    const digest = digestToken(person.token)
    const items = await Promise.all([
      getItem<Token>(keys.token(digest)),
      getItem<Principal>(keys.principal(person.id)),
      getItem<Login>(keys.login(person.email, person.id)),
    ])
    const [token, principal, login] = items
    expect(token).toEqual({ tenant_id: 1, user_id: person.id, role: 'author', expires_at: expect.any(Number) })
    expect(principal).toMatchObject({ token_digest: digest })
    expect(login).not.toHaveProperty('token_digest')
    expect(JSON.stringify(items)).not.toContain(person.token)
  })

  test('lasts for 30 days from the login', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { token } = await logIn(await newUser(admin, 1, 'author'))
    const item = await getItem<Token>(keys.token(digestToken(token)))
    expect(item?.expires_at).toBeGreaterThanOrEqual(before + LIFETIME)
    expect(item?.expires_at).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + LIFETIME)
  })

  test('that has expired is refused although the table still has it', async () => {
    const { token } = await newUser(admin, 1, 'author')
    const key = keys.token(digestToken(token))
    const item = await getItem<Token>(key)
    await transact([replace(key, 'token', { ...item, expires_at: Math.floor(Date.now() / 1000) - 1 })])
    expect(await call('showProfile', { as: { token } })).toMatchObject(UNAUTHORIZED)
    expect(await getItem(key)).toMatchObject({ role: 'author' })
  })

  test('ends to the second', async () => {
    const { token } = await newUser(admin, 1, 'author')
    const { expires_at } = (await getItem<Token>(keys.token(digestToken(token)))) as Token
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: expires_at * 1000 - 1 })
      expect(await call('showProfile', { as: { token } })).toMatchObject({ status: 200 })
      vi.setSystemTime(expires_at * 1000)
      expect(await call('showProfile', { as: { token } })).toMatchObject(UNAUTHORIZED)
    } finally {
      vi.useRealTimers()
    }
  })

  test('is never shown again, nor is its digest', async () => {
    const { id, tenant_id, email } = await newUser(admin, 1, 'author')
    const { token } = (await call('login', { body: { email, password: PASSWORD, tenant_id } })).body
    const answers = await Promise.all([
      call('showProfile', { as: { token } }),
      call('showUser', { as: { token }, params: { tenant_id, user_id: id } }),
      call('updateUser', { as: { token }, params: { tenant_id, user_id: id }, body: { name: 'Kim' } }),
      call('listUsers', { as: admin, params: { tenant_id } }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const text = JSON.stringify(answers.map(({ body }) => body))
    for (const secret of [token, digestToken(token), 'password', 'digest', '$2b$']) expect(text).not.toContain(secret)
  })
})
