import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '#tests/support/call.ts'
import { forge, HEADER, inOneHour, read, sign } from '#tests/support/jwt.ts'
import { newAdmin, newBlog, newPost, newUser, PASSWORD, type Person } from '#tests/support/world.ts'

const PREVIOUS = 'the secret of last year, thirty-two bytes at least'

process.env.JWT_SECRET_PREVIOUS = PREVIOUS

let person: Person

beforeAll(async () => {
  person = await newUser(await newAdmin(), 1, 'author')
})

describe('JWT_SECRET_PREVIOUS', () => {
  test('verifies', async () => {
    const token = forge({ payload: { user_id: person.id, exp: inOneHour() }, secret: PREVIOUS })
    expect(await call('showProfile', { as: { token } })).toMatchObject({ status: 200, body: { id: person.id } })
  })

  test('does not verify what has expired or is another algorithm', async () => {
    const payload = { user_id: person.id, exp: inOneHour() }
    const tokens = [
      forge({ payload: { ...payload, exp: inOneHour() - 3601 }, secret: PREVIOUS }),
      forge({ payload, secret: PREVIOUS, header: { ...HEADER, alg: 'HS512' }, hash: 'sha512' }),
      forge({ payload, secret: `${PREVIOUS}!` }),
    ]
    const answers = await Promise.all(tokens.map((token) => call('showProfile', { as: { token } })))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
  })

  test('never signs', async () => {
    const { jwt } = (await call('createSession', { body: { email: person.email, password: PASSWORD } })).body
    const input = jwt.split('.').slice(0, 2).join('.')
    expect(jwt).toBe(sign(input))
    expect(jwt).not.toBe(sign(input, PREVIOUS))
    expect(read(jwt).claims.user_id).toBe(person.id)
  })

  test('opens sessions that end like all others', async () => {
    const leaver = await newUser(await newAdmin(), 1, 'author')
    const token = forge({ payload: { user_id: leaver.id, exp: inOneHour() }, secret: PREVIOUS })
    await call('deleteSessions', { as: leaver })
    expect(await call('showProfile', { as: { token } })).toMatchObject({ status: 401 })
  })

  test('leaves cursors alone', async () => {
    const { id: blog_id } = await newBlog(person)
    await Promise.all([newPost(person, blog_id), newPost(person, blog_id)])
    const first = await call('listPosts', { as: person, params: { blog_id }, query: { limit: 1 } })
    const second = await call('listPosts', {
      as: person,
      params: { blog_id },
      query: { limit: 1, cursor: first.body.next_cursor },
    })
    expect(second).toMatchObject({ status: 200, body: { posts: [{ blog_id }] } })
    expect(second.body.posts[0].id).not.toBe(first.body.posts[0].id)
  })
})
