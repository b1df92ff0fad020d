import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '#tests/support/call.ts'
import { HEADER, read } from '#tests/support/jwt.ts'
import { newAdmin, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

process.env.LOGIN_TOKEN = 'jwt'

let person: Person

beforeAll(async () => {
  person = await newUser(await newAdmin(), 1, 'author')
})

describe('POST /login where LOGIN_TOKEN is jwt', () => {
  test('hands out a signed token under the key token', async () => {
    const { status, body } = await call('login', { body: { email: person.email, password: PASSWORD } })
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['token'] })
    expect(read(body.token)).toEqual({ header: HEADER, claims: { user_id: person.id, exp: expect.any(Number) } })
    expect(await call('showProfile', { as: body })).toMatchObject({ status: 200, body: { id: person.id } })
  })

  test('leaves the tokens of before alone', async () => {
    await call('login', { body: { email: person.email, password: PASSWORD } })
    expect(await call('showProfile', { as: person })).toMatchObject({ status: 200, body: { id: person.id } })
  })

  test('answers POST /sessions as ever', async () => {
    const { status, body } = await call('createSession', { body: { email: person.email, password: PASSWORD } })
    expect({ status, keys: Object.keys(body) }).toEqual({ status: 200, keys: ['jwt'] })
  })

  test('refuses a wrong password', async () => {
    const refused = await call('login', { body: { email: person.email, password: 'wrong horse' } })
    expect(refused).toMatchObject({ status: 401, body: { error: 'Invalid credentials' } })
  })
})
