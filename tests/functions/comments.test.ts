import { beforeAll, describe, expect, test } from 'vitest'
import { anId, ask, at, forbidden, gone, invalid, iso, MADE, missing, notFound, unauthorized } from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, type Person } from '#tests/support/world.ts'

let admin: Person
let house: House
let foreign: House
let post: { id: number; blog_id: number }
let elsewhere: { id: number; blog_id: number }

beforeAll(async () => {
  admin = await newAdmin()
  ;[house, foreign] = await Promise.all([newTenant(admin), newTenant(admin)])
  post = await newPost(house.author, (await newBlog(house.author)).id)
  elsewhere = await newPost(house.other, (await newBlog(house.other)).id)
})

type Comment = { id: number; post_id: number }

const short = () => ({ post_id: post.id })
const long = () => ({ post_id: post.id, blog_id: post.blog_id })
const create = (as: Person, body: object, params: Record<string, number> = short()) => ask('createComment', { as, params, body })
const remove = (as: Person, { id }: Comment, params: Record<string, number> = short()) =>
  ask('deleteComment', { as, params: { ...params, comment_id: id } })
const all = async (params: Record<string, number> = short()) =>
  (await ask('listComments', { as: house.owner, params, query: { order: 'desc', limit: 100 } })).body.comments
const left = async ({ id }: Comment) => (await all()).find((comment: Comment) => comment.id === id)

/** The paths to a post's comments that name the post or its blog wrongly. */
const wrongPaths = (): Record<string, number>[] => [
  { post_id: 2 },
  { post_id: post.blog_id },
  { post_id: post.id, blog_id: elsewhere.blog_id },
  { post_id: post.id, blog_id: 2 },
  { post_id: elsewhere.id, blog_id: post.blog_id },
  { post_id: 2, blog_id: post.blog_id },
]

const FORMS = [
  ['/posts/{post_id}', short],
  ['/blogs/{blog_id}/posts/{post_id}', long],
] as const

describe.each(FORMS)('POST %s/comments', (_form, params) => {
  test('a reader adds a comment and is told where it is', async () => {
    const made = await at(MADE, () => call('createComment', { as: house.reader, params: params(), body: { body: 'Well said' } }))
    const comment = { id: anId, post_id: post.id, user_id: house.reader.id, body: 'Well said', created_at: iso(MADE), version: 1 }
    expect({ status: made.status, body: made.body }).toEqual({ status: 201, body: { success: true, comment } })
    expect(made.headers.location).toBe(`/api/v1/posts/${post.id}/comments/${made.body.comment.id}`)
    expect(await left(made.body.comment)).toEqual(made.body.comment)
  })

  test.each(['owner', 'author', 'other', 'reader'] as const)('%s comments', async (who) => {
    expect(await create(house[who], { body: 'Me too' }, params())).toMatchObject({
      status: 201,
      body: { comment: { user_id: house[who].id } },
    })
  })

  test.each([
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['an admin, whose tenant it is not', () => admin, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s', async (_who, as, refusal) => {
    const before = await all()
    expect(await ask('createComment', { as: as(), params: params(), body: { body: 'Spam' } })).toEqual(refusal)
    expect(await all()).toEqual(before)
  })
})

describe('POST /posts/{post_id}/comments', () => {
  test('an admin comments in its own tenant', async () => {
    const home = await newPost(admin, (await newBlog(admin)).id)
    expect(await create(admin, { body: 'Here' }, { post_id: home.id })).toMatchObject({
      status: 201,
      body: { comment: { post_id: home.id } },
    })
  })

  test('what only the service sets, and what it does not know, is ignored', async () => {
    const given = { id: 7, post_id: elsewhere.id, user_id: 1, created_at: '2001-01-01T00:00:00Z', version: 9, updated_at: iso(0) }
    const { status, body } = await at(MADE, () => create(house.reader, { body: 'Hm', ...given }))
    const comment = { id: anId, post_id: post.id, user_id: house.reader.id, body: 'Hm', created_at: iso(MADE), version: 1 }
    expect({ status, body }).toEqual({ status: 201, body: { success: true, comment } })
    expect(body.comment.id).not.toBe(7)
  })

  test.each([
    ['of one character', '!'],
    ['of 5,000 characters', 'x'.repeat(5000)],
    ['of 5,000 emoji', '🦀'.repeat(5000)],
    ['with white space, control characters and markup', ' \r\n<script>\u0000</script>\u202e\t'],
  ])('a body %s is kept exactly as it was sent', async (_what, body) => {
    const answer = await create(house.reader, { body })
    expect(answer).toMatchObject({ status: 201, body: { comment: { body } } })
    expect(await left(answer.body.comment)).toEqual(answer.body.comment)
  })

  const tooLong = invalid(['body', 'too_long', 'Body is too long (maximum is 5000 characters)'])

  test.each([
    ['no body', {}, missing('body')],
    ['only other fields', { text: 'Well said' }, missing('body')],
    ['an empty body', { body: '' }, invalid(['body', 'blank', "Body can't be blank"])],
    ['a blank body', { body: ' \n\u00a0' }, invalid(['body', 'blank', "Body can't be blank"])],
    ['null', { body: null }, invalid(['body', 'invalid_type', 'Body must be a string'])],
    ['a number', { body: 5 }, invalid(['body', 'invalid_type', 'Body must be a string'])],
    ['5,001 characters', { body: 'x'.repeat(5001) }, tooLong],
    ['5,001 emoji', { body: '🦀'.repeat(5001) }, tooLong],
    ['half a surrogate pair', { body: 'Well\ud83d' }, invalid(['body', 'invalid_unicode', 'Body contains invalid Unicode'])],
    [
      'more than one thing wrong',
      { body: ' '.repeat(5001) },
      invalid(['body', 'blank', "Body can't be blank"], ['body', 'too_long', 'Body is too long (maximum is 5000 characters)']),
    ],
  ])('is refused with %s, whether or not the post exists', async (_what, body, refusal) => {
    for (const params of [short(), long(), ...wrongPaths()]) expect(await create(house.reader, body, params)).toEqual(refusal)
  })

  test('a post is found in its own blog only', async () => {
    const before = await all()
    for (const params of wrongPaths()) expect(await create(house.owner, { body: 'Where?' }, params)).toEqual(notFound)
    expect(await all()).toEqual(before)
  })
})

describe.each(FORMS)('GET %s/comments', (_form, params) => {
  test.each(['owner', 'author', 'other', 'reader'] as const)('%s sees all of them, oldest first', async (who) => {
    const own = await newPost(house.author, post.blog_id)
    const comments = [await newComment(house.reader, own.id, 'First'), await newComment(house.author, own.id, 'Second')]
    const path = { ...params(), post_id: own.id }
    const oldestFirst = comments.toSorted((a, b) => a.id - b.id)
    expect(await ask('listComments', { as: house[who], params: path })).toEqual({
      status: 200,
      body: { success: true, comments: oldestFirst, next_cursor: null },
    })
  })

  test.each([
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['an admin, whose tenant it is not', () => admin, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s', async (_who, as, refusal) => {
    expect(await ask('listComments', { as: as(), params: params() })).toEqual(refusal)
  })

  test('a post is found in its own blog only', async () => {
    for (const path of wrongPaths()) expect(await ask('listComments', { as: house.owner, params: path })).toEqual(notFound)
  })
})

describe.each(FORMS)('DELETE %s/comments/{comment_id}', (_form, params) => {
  test.each([
    ['its author', () => house.reader, () => house.reader],
    ['an author, its own on the post of another', () => house.other, () => house.other],
    ["the author of the blog, somebody's", () => house.reader, () => house.author],
    ["the author of the blog, an owner's", () => house.owner, () => house.author],
    ["an owner, somebody's", () => house.reader, () => house.owner],
  ])('%s deletes a comment', async (_who, by, as) => {
    const comment = await newComment(by(), post.id)
    expect(await remove(as(), comment, params())).toEqual(gone)
    expect(await left(comment)).toBeUndefined()
    expect(await remove(as(), comment, params())).toEqual(notFound)
  })

  test("the author of the blog deletes comments on a post that an owner published there, and the owner's as well", async () => {
    const theirs = await newPost(house.owner, post.blog_id)
    for (const by of [house.reader, house.owner]) {
      const comment = await newComment(by, theirs.id)
      expect(await remove(house.author, comment, { ...params(), post_id: theirs.id })).toEqual(gone)
    }
    expect(await all({ post_id: theirs.id })).toEqual([])
  })

  test.each([
    ["another author, the reader's", () => house.reader, () => house.other, forbidden],
    ["another author, the blog's author's", () => house.author, () => house.other, forbidden],
    ["a reader, somebody's", () => house.author, () => house.reader, forbidden],
    ['a foreign owner', () => house.reader, () => foreign.owner, notFound],
    ['a foreign reader', () => house.reader, () => foreign.reader, notFound],
    ['an admin, whose tenant it is not', () => house.reader, () => admin, notFound],
    ['nobody', () => house.reader, () => undefined, unauthorized],
  ])('is refused to %s', async (_who, by, as, refusal) => {
    const comment = await newComment(by(), post.id)
    expect(await ask('deleteComment', { as: as(), params: { ...params(), comment_id: comment.id } })).toEqual(refusal)
    expect(await left(comment)).toEqual(comment)
  })

  test('a blog made for a reader gives it no say over the comments there', async () => {
    const home = await newPost(house.owner, (await newBlog(house.owner, house.reader)).id)
    const comment = await newComment(house.owner, home.id)
    const path = 'blog_id' in params() ? { post_id: home.id, blog_id: home.blog_id } : { post_id: home.id }
    expect(await remove(house.reader, comment, path)).toEqual(forbidden)
    expect(await all(path)).toEqual([comment])
  })

  test('a comment that is not there is not found, whoever asks', async () => {
    const comment = await newComment(house.reader, elsewhere.id)
    for (const as of [house.owner, house.author, house.other, house.reader]) {
      for (const id of [2, post.id, comment.id]) expect(await remove(as, { id, post_id: post.id }, params())).toEqual(notFound)
    }
  })
})

describe('a comment under a path that names its post or blog wrongly', () => {
  test.each(['owner', 'author', 'other', 'reader'] as const)('is not found by %s, and stays', async (who) => {
    const comment = await newComment(house[who], post.id)
    for (const path of wrongPaths()) {
      expect(await remove(house[who], comment, path)).toEqual(notFound)
      expect(await left(comment), JSON.stringify(path)).toEqual(comment)
    }
  })
})
