import { beforeAll, describe, expect, test } from 'vitest'
import { type CallResponse, call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newPost, newTenant } from '#tests/support/world.ts'
import strings from '../data/naughty-strings.json' with { type: 'json' }

let house: House
let blog: { id: number }

beforeAll(async () => {
  house = await newTenant(await newAdmin())
  blog = await newBlog(house.author)
})

/** What must come of a string: itself, or the sentence that refuses it. */
function expected(name: string, value: string, maxCharacters: number): string[] {
  if (value.trim() === '') return [`${name} can't be blank`]
  if ([...value].length > maxCharacters) return [`${name} is too long (maximum is ${maxCharacters} characters)`]
  return []
}

const outcome = (refusals: string[], record: object) =>
  refusals.length > 0 ? { status: 422, body: { success: false, error: refusals } } : { status: 201, body: record }

/** All of the strings, some at a time. */
async function forEachString(
  send: (value: string) => Promise<CallResponse>,
  some = strings,
  atOnce = 64,
): Promise<CallResponse[]> {
  const answers: CallResponse[] = []
  for (let at = 0; at < some.length; at += atOnce) answers.push(...(await Promise.all(some.slice(at, at + atOnce).map(send))))
  return answers
}

async function readAll(name: string, key: string, params: Record<string, number>): Promise<Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = []
  for (let cursor = ''; records.length <= strings.length; ) {
    const query = { limit: 100, ...(cursor !== '' && { cursor }) }
    const { body } = await call(name, { as: house.reader, params, query })
    records.push(...body[key])
    if (body.next_cursor === null) return records
    cursor = body.next_cursor
  }
  throw new Error('The list does not end')
}

describe(`each of ${strings.length} naughty strings survives or is refused with a reason`, () => {
  test('as the title and the body of a post', async () => {
    const params = { blog_id: blog.id }
    const answers = await forEachString((value) =>
      call('createPost', { as: house.author, params, body: { title: value, body: value } }),
    )
    expect(answers.map(({ status, body }) => ({ status, body }))).toMatchObject(
      strings.map((value) => {
        const refusals = [...expected('Title', value, 200), ...expected('Body', value, Number.POSITIVE_INFINITY)]
        return outcome(refusals, { title: value, body: value })
      }),
    )
    const sent = new Map(answers.filter(({ status }) => status === 201).map(({ body }) => [body.id, body]))
    const kept = await readAll('listPosts', 'posts', params)
    expect(sent.size).toBeGreaterThan(strings.length - 20)
    expect(new Map(kept.map((post) => [post.id, post]))).toEqual(sent)
  })

  test('as a comment', async () => {
    const params = { post_id: (await newPost(house.author, blog.id)).id }
    const answers = await forEachString((value) => call('createComment', { as: house.reader, params, body: { body: value } }))
    expect(answers.map(({ status, body }) => ({ status, body }))).toMatchObject(
      strings.map((value) => outcome(expected('Body', value, 5000), { success: true, comment: { body: value } })),
    )
    const sent = new Map(answers.filter(({ status }) => status === 201).map(({ body }) => [body.comment.id, body.comment]))
    const kept = await readAll('listComments', 'comments', params)
    expect(sent.size).toBeGreaterThan(strings.length - 20)
    expect(new Map(kept.map((comment) => [comment.id, comment]))).toEqual(sent)
  })

  test('as an email and a password at login: nobody is let in, and nothing fails', async () => {
    const some = strings.filter((_, at) => at % 6 === 0)
    const answers = await forEachString((value) => call('login', { body: { email: value, password: value } }), some, 16)
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      some.map(() => ({ status: 401, body: { error: 'Invalid credentials' } })),
    )
  })

  test('as a token: nobody is let in, and nothing fails', async () => {
    const answers = await forEachString((token) => call('showProfile', { as: { token } }))
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      strings.map(() => ({ status: 401, body: { error: 'Unauthorized' } })),
    )
  })

  test('as a path id: there is no such record', async () => {
    const answers = await forEachString((post_id) =>
      call('showPost', { as: house.author, params: { blog_id: blog.id, post_id } }),
    )
    expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
      strings.map(() => ({ status: 404, body: { success: false, error: 'Not found' } })),
    )
  })
})
