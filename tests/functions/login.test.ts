import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type CallResponse, call } from '#tests/support/call.ts'
import { type House, newAdmin, newTenant, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

const FORM = 'application/x-www-form-urlencoded'
const TOKEN = /^[0-9a-f]{64}$/
const INVALID = { status: 401, body: { error: 'Invalid credentials' }, headers: { 'www-authenticate': 'Bearer' } }

let admin: Person
let house: House

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

const answers = async (token: string): Promise<number> => (await call('showProfile', { as: { token } })).status

/** Sends form parameters as API Gateway hands them over: base64-encoded. */
const sendForm = (name: string, fields: string | Record<string, string>): Promise<CallResponse> =>
  call(name, { body: Buffer.from(new URLSearchParams(fields).toString()), headers: { 'content-type': FORM } })

/** A user with a password or an email of its own, in the house or in another tenant. */
async function userWith(fields: { email?: string; password?: string }, tenant_id = house.tenant_id) {
  const body = { email: `${randomUUID()}@example.org`, password: PASSWORD, ...fields }
  const made = await call('createUser', { as: admin, params: { tenant_id }, body })
  expect(made.status).toBe(201)
  return made.body.user as { id: number; tenant_id: number; email: string }
}

describe('POST /login', () => {
  test.each<[string, (fields: { email: string; password: string }) => Promise<CallResponse>]>([
    ['as JSON', (fields) => call('login', { body: fields })],
    ['as base64-encoded JSON', (fields) => call('login', { body: Buffer.from(JSON.stringify(fields)) })],
    ['as a base64-encoded form', (fields) => sendForm('login', fields)],
    [
      'as a form of plain text',
      (fields) => call('login', { body: new URLSearchParams(fields).toString(), headers: { 'content-type': FORM } }),
    ],
    [
      'as a form with a charset',
      (fields) =>
        call('login', {
          body: Buffer.from(new URLSearchParams(fields).toString()),
          headers: { 'content-type': `${FORM.toUpperCase()}; charset=UTF-8` },
        }),
    ],
  ])('exchanges an email and a password %s for a token of 64 hexadecimal digits', async (_how, send) => {
    const made = await send({ email: house.reader.email, password: PASSWORD })
    expect(made).toMatchObject({ status: 200, body: { token: expect.stringMatching(TOKEN) } })
    expect(Object.keys(made.body)).toEqual(['token'])
    expect(await call('showProfile', { as: made.body })).toMatchObject({
      status: 200,
      body: { id: house.reader.id, email: house.reader.email, tenant_id: house.tenant_id, role: 'reader' },
    })
  })

  test('replaces the previous token at once', async () => {
    const person = await newUser(admin, house.tenant_id, 'author')
    expect(await answers(person.token)).toBe(200)
    const { body } = await call('login', { body: { email: person.email, password: PASSWORD } })
    expect(body.token).not.toBe(person.token)
    expect(await answers(person.token)).toBe(401)
    expect(await answers(body.token)).toBe(200)
  })

  test('leaves exactly one token of twelve logins at once, and answers all of them', async () => {
    const { email } = await newUser(admin, house.tenant_id, 'author')
    const logins = await Promise.all(Array.from({ length: 12 }, () => call('login', { body: { email, password: PASSWORD } })))
    expect(logins.map(({ status }) => status)).toEqual(Array(12).fill(200))
    const statuses = await Promise.all(logins.map(({ body }) => answers(body.token)))
    expect(statuses.toSorted()).toEqual([200, ...Array(11).fill(401)])
  })

  test('changes nothing where it fails: the token of before goes on', async () => {
    const person = await newUser(admin, house.tenant_id, 'author')
    const wrong = await Promise.all(
      ['wrong horse', '', `${PASSWORD} `].map((password) => call('login', { body: { email: person.email, password } })),
    )
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(await answers(person.token)).toBe(200)
  })

  test.each([
    ['a token that is none', 'Bearer nonsense'],
    ['a scheme it does not know', 'Basic YTpi'],
    ['nothing in it', ''],
  ])('does not look at an Authorization header with %s', async (_what, authorization) => {
    const { email } = await newUser(admin, house.tenant_id, 'author')
    expect(await call('login', { body: { email, password: PASSWORD }, headers: { authorization } })).toMatchObject({
      status: 200,
    })
  })

  test.each([
    ['72 bytes', 'p'.repeat(72), 'p'],
    ['72 bytes of three-byte characters', '€'.repeat(24), 'x'],
    ['72 bytes', 'p'.repeat(72), '\0'],
    ['72 bytes', 'p'.repeat(72), 'p'.repeat(100_000)],
  ])('takes a password of %s and refuses the same with more at its end', async (_size, password, more) => {
    const { email } = await userWith({ password })
    expect(await call('login', { body: { email, password } })).toMatchObject({ status: 200 })
    expect(await call('login', { body: { email, password: password + more } })).toMatchObject(INVALID)
  })

  describe('compares the email', () => {
    let name: string

    beforeAll(async () => {
      name = `kim-${randomUUID()}`
      await userWith({ email: `${name}@example.org` })
    })

    test.each<[string, (email: string) => string]>([
      ['in capitals', (email) => email.toUpperCase()],
      ['in mixed case', (email) => email.replace('kim', 'KiM').replace('example', 'eXaMple')],
      ['between spaces', (email) => `  ${email} `],
      ['between a tab and a line break', (email) => `\t${email}\r\n`],
    ])('as the same when it is written %s', async (_how, written) => {
      const body = { email: written(`${name}@example.org`), password: PASSWORD }
      expect(await call('login', { body })).toMatchObject({ status: 200 })
      expect(await sendForm('login', body)).toMatchObject({ status: 200 })
    })

    test.each<[string, (email: string) => string]>([
      ['the Kelvin sign', (email) => email.replace('k', '\u212A')],
      ['a dotless i', (email) => email.replace('i', '\u0131')],
      ['a dotted capital I', (email) => email.replace('i', '\u0130')],
      ['a fullwidth @', (email) => email.replace('@', '\uFF20')],
      ['a fullwidth m', (email) => email.replace('m', '\uFF4D')],
      ['a soft hyphen', (email) => email.replace('k', 'k\u00AD')],
      ['a zero-width space at its end', (email) => `${email}\u200B`],
      ['a NUL at its end', (email) => `${email}\0`],
      ['a display name', (email) => `Kim <${email}>`],
    ])('as another when it has %s', async (_what, written) => {
      const body = { email: written(`${name}@example.org`), password: PASSWORD }
      expect(await call('login', { body })).toMatchObject(INVALID)
    })
  })
})

describe.each(['login', 'createSession'])('%s refuses', (name) => {
  test.each<[string, () => Record<string, unknown>]>([
    ['an unknown email', () => ({ email: `${randomUUID()}@example.org` })],
    ['a wrong password', () => ({ password: 'wrong horse' })],
    ['the password in capitals', () => ({ password: PASSWORD.toUpperCase() })],
    ['a password with a space at its end', () => ({ password: `${PASSWORD} ` })],
    ['an unknown tenant', () => ({ tenant_id: 999_999_999 })],
    ['a tenant that the user is not in', () => ({ tenant_id: 1 })],
    ['a tenant that there can be none of', () => ({ tenant_id: 0 })],
    ['a malformed email', () => ({ email: 'ada' })],
    ['an email without a local part', () => ({ email: '@example.org' })],
    ['an email of 100,000 characters', () => ({ email: `${'a'.repeat(100_000)}@example.org` })],
    ['a short password', () => ({ password: 'horse' })],
    ['a password of 73 bytes', () => ({ password: 'p'.repeat(73) })],
    ['a password with a NUL', () => ({ password: `${PASSWORD}\0` })],
    ['an email with a NUL', () => ({ email: 'ada\0@example.org' })],
    ['a lone surrogate in the password', () => ({ password: `${PASSWORD}\uD800` })],
    ['a lone surrogate in the email', () => ({ email: '\uDC00ada@example.org' })],
    ['an empty email', () => ({ email: '' })],
    ['a blank email', () => ({ email: ' \t ' })],
    ['an empty password', () => ({ password: '' })],
    ['both empty', () => ({ email: '', password: '' })],
    ['a sort key as an email', () => ({ email: `EMAIL#${house.author.email}` })],
  ])('%s: 401', async (_what, fields) => {
    const sent = { email: house.author.email, password: PASSWORD, ...fields() }
    const made = await call(name, { body: sent })
    expect(made).toMatchObject(INVALID)
    expect(made.body).toEqual(INVALID.body)
  })

  test.each<[string, Record<string, string>]>([
    ['an unknown tenant', { tenant_id: '999999999' }],
    ['a wrong password', { password: 'wrong horse' }],
    ['an empty password', { password: '' }],
    ['an empty email', { email: '' }],
  ])('%s in a form: 401', async (_what, fields) => {
    expect(await sendForm(name, { email: house.author.email, password: PASSWORD, ...fields })).toMatchObject(INVALID)
  })

  test.each<[string, unknown, string]>([
    ['no email', { password: PASSWORD }, 'email'],
    ['no password', { email: 'ada@example.org' }, 'password'],
    ['neither', {}, 'email, password'],
    ['no body', undefined, 'email, password'],
    ['an empty body', '', 'email, password'],
    ['no email and a password that is none', { password: 1 }, 'email'],
  ])('%s: 400', async (_what, body, missing) => {
    const error = `param is missing or the value is empty: ${missing}`
    expect(await call(name, { body })).toMatchObject({ status: 400, body: { success: false, error } })
  })

  test.each<[string, string, string]>([
    ['no email', 'password=horse', 'email'],
    ['no password', 'email=ada%40example.org', 'password'],
    ['nothing', '', 'email, password'],
    ['other names alone', 'user=ada&Email=ada%40example.org', 'email, password'],
  ])('a form with %s: 400', async (_what, fields, missing) => {
    const error = `param is missing or the value is empty: ${missing}`
    expect(await sendForm(name, fields)).toMatchObject({ status: 400, body: { success: false, error } })
  })

  test.each<[string, Record<string, unknown>, string[]]>([
    ['a number as email', { email: 1 }, ['Email must be a string']],
    ['null as email', { email: null }, ['Email must be a string']],
    ['a list as email', { email: ['ada@example.org'] }, ['Email must be a string']],
    ['an object as password', { password: { $ne: '' } }, ['Password must be a string']],
    ['true as password', { password: true }, ['Password must be a string']],
    ['null as password', { password: null }, ['Password must be a string']],
    ['neither as text', { email: 1, password: 2 }, ['Email must be a string', 'Password must be a string']],
    ['text as tenant', { tenant_id: '1' }, ['Tenant must be an integer']],
    ['a fraction as tenant', { tenant_id: 1.5 }, ['Tenant must be an integer']],
    ['null as tenant', { tenant_id: null }, ['Tenant must be an integer']],
  ])('%s: 422', async (_what, fields, error) => {
    const body = { email: house.author.email, password: PASSWORD, ...fields }
    expect(await call(name, { body })).toMatchObject({ status: 422, body: { success: false, error } })
  })

  test.each<[string, string, string[]]>([
    ['an email given twice', 'email=a&email=b&password=c', ['Email is given more than once']],
    ['a password given twice', 'email=a&password=b&password=b', ['Password is given more than once']],
    [
      'both given twice',
      'email=a&email=a&password=b&password=b',
      ['Email is given more than once', 'Password is given more than once'],
    ],
    ['a tenant that is no number', 'email=a&password=b&tenant_id=x', ['Tenant must be an integer']],
    ['an empty tenant', 'email=a&password=b&tenant_id=', ['Tenant must be an integer']],
  ])('a form with %s: 422', async (_what, fields, error) => {
    expect(await sendForm(name, fields)).toMatchObject({ status: 422, body: { success: false, error } })
  })
})

describe('an email that several tenants know', () => {
  let first: House
  let second: House

  beforeAll(async () => {
    ;[first, second] = await Promise.all([newTenant(admin), newTenant(admin)])
  })

  const tenantOf = async (body: object): Promise<unknown> => {
    const made = await call('login', { body })
    expect(made.status).toBe(200)
    return (await call('showProfile', { as: made.body })).body.tenant_id
  }

  test('logs in the one user that the password fits', async () => {
    const email = `${randomUUID()}@example.org`
    await userWith({ email, password: 'the first horse' }, first.tenant_id)
    await userWith({ email, password: 'the second horse' }, second.tenant_id)
    expect(await tenantOf({ email, password: 'the first horse' })).toBe(first.tenant_id)
    expect(await tenantOf({ email, password: 'the second horse' })).toBe(second.tenant_id)
    expect(await call('login', { body: { email, password: PASSWORD } })).toMatchObject(INVALID)
    const elsewhere = { email, password: 'the first horse', tenant_id: second.tenant_id }
    expect(await call('login', { body: elsewhere })).toMatchObject(INVALID)
  })

  test.each(['login', 'createSession'])('asks for the tenant where the password fits several users (%s)', async (name) => {
    const email = `${randomUUID()}@example.org`
    const older = await userWith({ email }, second.tenant_id)
    const younger = await userWith({ email }, first.tenant_id)
    const tenant_ids = [older, younger].toSorted((a, b) => a.id - b.id).map(({ tenant_id }) => tenant_id)
    const refused = await call(name, { body: { email, password: PASSWORD } })
    expect({ status: refused.status, body: refused.body }).toEqual({
      status: 422,
      body: { success: false, error: 'Email belongs to several tenants', details: { tenant_ids } },
    })
    for (const tenant_id of tenant_ids) {
      expect(await tenantOf({ email, password: PASSWORD, tenant_id })).toBe(tenant_id)
      const { status } = await sendForm(name, { email, password: PASSWORD, tenant_id: String(tenant_id) })
      expect(status).toBe(200)
    }
  })

  test('tries the five oldest users alone; a younger one names its tenant', async () => {
    const email = `${randomUUID()}@example.org`
    const tenants = await Promise.all(Array.from({ length: 7 }, () => call('createTenant', { as: admin, body: { name: 'One' } })))
    const users = await Promise.all(tenants.map(({ body }) => userWith({ email }, body.tenant.id)))
    const byAge = users.toSorted((a, b) => a.id - b.id)
    await Promise.all(
      byAge.map(({ id, tenant_id }, age) =>
        call('updateUser', { as: admin, params: { tenant_id, user_id: id }, body: { password: `horse number ${age}` } }),
      ),
    )
    const withoutTenant = await Promise.all(
      byAge.map((_, age) => call('login', { body: { email, password: `horse number ${age}` } })),
    )
    expect(withoutTenant.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 401, 401])
    const withTenant = await Promise.all(
      byAge.map(({ tenant_id }, age) => call('login', { body: { email, password: `horse number ${age}`, tenant_id } })),
    )
    expect(withTenant.map(({ status }) => status)).toEqual(Array(7).fill(200))
  })
})
