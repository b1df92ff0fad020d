import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  anId,
  ask,
  at,
  CHANGED,
  forbidden,
  gone,
  invalid,
  iso,
  MADE,
  missing,
  notFound,
  timeOfId,
  unauthorized,
} from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, type Person } from '#tests/support/world.ts'

let admin: Person
let house: House
let foreign: House
let blog: { id: number }
let others: { id: number }

beforeAll(async () => {
  admin = await newAdmin()
  ;[house, foreign] = await Promise.all([newTenant(admin), newTenant(admin)])
  ;[blog, others] = await Promise.all([newBlog(house.author), newBlog(house.other)])
})

type Post = { id: number; blog_id: number }

const valid = { title: 'Hello', body: 'World' }
const pathOf = ({ id, blog_id }: Post) => ({ blog_id, post_id: id })
const create = (as: Person, body: object, in_: { id: number } = blog) =>
  ask('createPost', { as, params: { blog_id: in_.id }, body })
const made = async () => (await at(MADE, () => create(house.author, valid))).body
const show = (as: Person, post: Post) => ask('showPost', { as, params: pathOf(post) })
const patch = (as: Person, post: Post, body: object) => ask('updatePost', { as, params: pathOf(post), body })
const remove = (as: Person, post: Post) => ask('deletePost', { as, params: pathOf(post) })

describe('POST /blogs/{blog_id}/posts', () => {
  test('an author publishes a post and is told where it is', async () => {
    const made = await at(MADE, () => call('createPost', { as: house.author, params: { blog_id: blog.id }, body: valid }))
    const post = {
      id: anId,
      blog_id: blog.id,
      user_id: house.author.id,
      ...valid,
      created_at: iso(MADE),
      updated_at: iso(MADE),
      version: 1,
    }
    expect({ status: made.status, body: made.body }).toEqual({ status: 201, body: post })
    expect(made.headers.location).toBe(`/api/v1/blogs/${blog.id}/posts/${made.body.id}`)
    expect(await show(house.author, made.body)).toEqual({ status: 200, body: made.body })
  })

  test("an owner publishes in somebody's blog, and the author may change it there", async () => {
    const { status, body: post } = await create(house.owner, valid)
    expect({ status, ...post }).toMatchObject({ status: 201, blog_id: blog.id, user_id: house.owner.id })
    expect(await patch(house.other, post, { title: 'Not mine' })).toEqual(forbidden)
    expect(await patch(house.author, post, { title: 'Mine' })).toMatchObject({
      status: 200,
      body: { title: 'Mine', user_id: house.owner.id, version: 2 },
    })
    expect(await remove(house.author, post)).toEqual(gone)
  })

  test('an admin publishes in its own tenant, and in no other', async () => {
    const home = await newBlog(admin)
    expect(await create(admin, valid, home)).toMatchObject({ status: 201, body: { blog_id: home.id, user_id: admin.id } })
    expect(await create(admin, valid)).toEqual(notFound)
  })

  test('what only the service sets, and what it does not know, is ignored', async () => {
    const given = {
      id: 7,
      blog_id: others.id,
      user_id: 1,
      tenant_id: 1,
      blog_user_id: 1,
      updated_at: iso(0),
      version: 9,
      type: 'x',
      expires_at: 1,
    }
    const { status, body } = await at(MADE, () => create(house.author, { ...valid, ...given }))
    const post = {
      id: anId,
      blog_id: blog.id,
      user_id: house.author.id,
      ...valid,
      created_at: iso(MADE),
      updated_at: iso(MADE),
      version: 1,
    }
    expect({ status, body }).toEqual({ status: 201, body: post })
    expect(body.id).not.toBe(7)
  })

  test.each([
    ['a title of 200 emoji', { title: '🦀'.repeat(200) }],
    ['a body of one character', { body: 'x' }],
    ['a body of 307,200 bytes', { body: 'x'.repeat(307_200) }],
    ['a body of 307,200 bytes in 102,400 characters', { body: '€'.repeat(102_400) }],
    ['a body of 307,200 bytes in 76,800 emoji', { body: '🦀'.repeat(76_800) }],
    ['white space around both', { title: ' Hello\n', body: '\n\n  World\t' }],
    ['NUL, control characters, line ends of every kind and a BOM', { title: 'a\0b\u0007', body: '\ufeff\r\n\r\u2028\u0085\0' }],
    ['composed and decomposed letters, right-to-left marks', { title: 'é e\u0301 \u202eabc', body: 'ﬁ ﷺ 한 \u1112\u1161\u11ab' }],
  ])('%s is kept exactly as it was sent', async (_what, given) => {
    const { status, body: post } = await create(house.author, { ...valid, ...given })
    expect({ status, title: post.title, body: post.body }).toEqual({ status: 201, ...valid, ...given })
    expect((await show(house.author, post)).body).toEqual(post)
  })

  const bodyTooLong = invalid(['body', 'too_long', 'Body is too long (maximum is 307200 bytes)'])
  const titleTooLong = ['title', 'too_long', 'Title is too long (maximum is 200 characters)'] as const

  test.each([
    ['nothing at all', {}, missing('title, body')],
    ['no title', { body: 'World' }, missing('title')],
    ['no body, and a blank title', { title: '' }, missing('body')],
    ['no title, and a wrong date', { body: 'World', created_at: 'x' }, missing('title')],
    ['a blank title', { ...valid, title: ' ' }, invalid(['title', 'blank', "Title can't be blank"])],
    ['null as title', { ...valid, title: null }, invalid(['title', 'invalid_type', 'Title must be a string'])],
    ['a title of 201 characters', { ...valid, title: 'x'.repeat(201) }, invalid([...titleTooLong])],
    ['a title of 201 emoji', { ...valid, title: '🦀'.repeat(201) }, invalid([...titleTooLong])],
    ['a blank body', { ...valid, body: '\n \u3000' }, invalid(['body', 'blank', "Body can't be blank"])],
    ['an empty body', { ...valid, body: '' }, invalid(['body', 'blank', "Body can't be blank"])],
    ['null as body', { ...valid, body: null }, invalid(['body', 'invalid_type', 'Body must be a string'])],
    ['an array as body', { ...valid, body: ['World'] }, invalid(['body', 'invalid_type', 'Body must be a string'])],
    ['a body of 307,201 bytes', { ...valid, body: 'x'.repeat(307_201) }, bodyTooLong],
    ['a body of 307,201 bytes in 102,401 characters', { ...valid, body: `${'€'.repeat(102_400)}x` }, bodyTooLong],
    [
      'a body with half a surrogate pair',
      { ...valid, body: 'World\ud83d' },
      invalid(['body', 'invalid_unicode', 'Body contains invalid Unicode']),
    ],
    [
      'a title with its halves exchanged',
      { ...valid, title: '\udc00\ud83d' },
      invalid(['title', 'invalid_unicode', 'Title contains invalid Unicode']),
    ],
    [
      'everything wrong, in field order whatever the order sent',
      { created_at: 5, body: '', title: ' '.repeat(201) },
      invalid(
        ['title', 'blank', "Title can't be blank"],
        [...titleTooLong],
        ['body', 'blank', "Body can't be blank"],
        ['created_at', 'invalid_type', 'Created at must be a string'],
      ),
    ],
  ])('is refused with %s, whether or not the blog exists', async (_what, body, refusal) => {
    expect(await create(house.author, body)).toEqual(refusal)
    expect(await create(house.author, body, { id: 2 })).toEqual(refusal)
  })

  test.each([
    ["an author in another's blog", () => house.other, () => blog, forbidden],
    ['a reader', () => house.reader, () => blog, forbidden],
    ['a reader, where there is no blog', () => house.reader, () => ({ id: 2 }), forbidden],
    ['a foreign owner', () => foreign.owner, () => blog, notFound],
    ['a foreign author', () => foreign.author, () => blog, notFound],
    ['an author, where there is no blog', () => house.author, () => ({ id: 2 }), notFound],
    ['an owner, where there is no blog', () => house.owner, () => ({ id: 2 }), notFound],
    ['nobody', () => undefined, () => blog, unauthorized],
  ])('is refused to %s', async (_who, as, in_, refusal) => {
    expect(await ask('createPost', { as: as(), params: { blog_id: in_().id }, body: valid })).toEqual(refusal)
  })

  test("a reader may not publish in a blog that was made for it, nor an author in one that is the reader's", async () => {
    const readers = await newBlog(house.owner, house.reader)
    expect(await create(house.reader, valid, readers)).toEqual(forbidden)
    expect(await create(house.author, valid, readers)).toEqual(forbidden)
    expect(await create(house.owner, valid, readers)).toMatchObject({ status: 201 })
  })
})

describe('a post with a created_at of the past', () => {
  afterEach(() => vi.restoreAllMocks())

  const EPOCH = Date.UTC(1994, 0, 1)

  test.each([
    ['in UTC', '2014-12-12T00:00:00Z', '2014-12-12T00:00:00.000Z'],
    ['to the millisecond', '2014-12-12T23:59:59.999Z', '2014-12-12T23:59:59.999Z'],
    ['with fewer digits', '2014-12-12T23:59:59.5Z', '2014-12-12T23:59:59.500Z'],
    ['finer than a millisecond', '2014-12-12T23:59:59.123987Z', '2014-12-12T23:59:59.123Z'],
    ['east of Greenwich', '2014-12-12T01:30:00+05:30', '2014-12-11T20:00:00.000Z'],
    ['west of Greenwich', '2014-12-31T20:00:00-08:00', '2015-01-01T04:00:00.000Z'],
    ['on a leap day', '2012-02-29T12:00:00Z', '2012-02-29T12:00:00.000Z'],
    ['at the first instant there is', '1994-01-01T00:00:00Z', '1994-01-01T00:00:00.000Z'],
    ['at that instant elsewhere', '1993-12-31T19:00:00-05:00', '1994-01-01T00:00:00.000Z'],
  ])('keeps a date %s, and its id is minted from it', async (_form, created_at, kept) => {
    const { status, body } = await create(house.author, { ...valid, created_at })
    const post = {
      id: anId,
      blog_id: blog.id,
      user_id: house.author.id,
      ...valid,
      created_at: kept,
      updated_at: kept,
      version: 1,
    }
    expect({ status, body }).toEqual({ status: 201, body: post })
    expect(iso(timeOfId(body.id))).toBe(kept)
    expect(await show(house.author, body)).toEqual({ status: 200, body })
  })

  test('now is no future', async () => {
    const answer = await at(MADE, () => create(house.author, { ...valid, created_at: iso(MADE) }))
    expect(answer).toMatchObject({ status: 201, body: { created_at: iso(MADE) } })
  })

  test('even the smallest id of the first instant is an id', async () => {
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => array)
    const { status, body } = await create(house.author, { ...valid, created_at: iso(EPOCH) })
    expect({ status, body }).toMatchObject({ status: 201, body: { id: anId } })
    expect(await show(house.author, body)).toEqual({ status: 200, body })
  })

  test('a date whose ids are taken finds room after it, and stays the date', async () => {
    vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => array)
    const created_at = '2003-03-03T03:03:03.000Z'
    const posts = [await create(house.author, { ...valid, created_at }), await create(house.author, { ...valid, created_at })]
    expect(posts).toMatchObject([
      { status: 201, body: { created_at } },
      { status: 201, body: { created_at } },
    ])
    expect(posts.map(({ body }) => iso(timeOfId(body.id)))).toEqual([created_at, '2003-03-03T03:03:03.001Z'])
  })

  test('many of one date at once all go in', async () => {
    const created_at = '2004-04-04T04:04:04.000Z'
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(house.author, { ...valid, created_at })))
    expect(answers.map(({ status, body }) => [status, body.created_at])).toEqual(answers.map(() => [201, created_at]))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(50)
  })

  test('stands in the list where its date belongs', async () => {
    const archive = await newBlog(house.author)
    const days = ['2016-01-03', '2016-01-01', '2016-01-02'].map((day) => `${day}T00:00:00.000Z`)
    for (const created_at of days) await newPost(house.author, archive.id, { created_at })
    const now = await newPost(house.author, archive.id)
    const { body } = await ask('listPosts', { as: house.author, params: { blog_id: archive.id } })
    expect(body.posts.map((post: { created_at: string }) => post.created_at)).toEqual([
      now.created_at,
      ...days.toSorted().reverse(),
    ])
  })

  const notATime = invalid(['created_at', 'invalid', 'Created at is not a valid time'])

  test.each<[string, unknown, object]>([
    ['a millisecond ahead', iso(MADE + 1), invalid(['created_at', 'future', "Created at can't be in the future"])],
    ['in another century', '2163-01-01T00:00:00Z', invalid(['created_at', 'future', "Created at can't be in the future"])],
    ['a millisecond before 1994', '1993-12-31T23:59:59.999Z', invalid(['created_at', 'too_early', 'Created at is too early'])],
    ['before 1994 by its offset', '1994-01-01T00:00:00+00:01', invalid(['created_at', 'too_early', 'Created at is too early'])],
    ['of the year nought', '0000-01-01T00:00:00Z', invalid(['created_at', 'too_early', 'Created at is too early'])],
    ['without a time', '2014-12-12', notATime],
    ['without an offset', '2014-12-12T00:00:00', notATime],
    ['of no calendar', '2014-02-30T00:00:00Z', notATime],
    ['of no leap year', '2015-02-29T00:00:00Z', notATime],
    ['of a 25th hour', '2014-12-12T25:00:00Z', notATime],
    ['of a 61st minute', '2014-12-12T00:61:00Z', notATime],
    ['with a space', '2014-12-12 00:00:00Z', notATime],
    ['of HTTP', 'Fri, 12 Dec 2014 00:00:00 GMT', notATime],
    ['of Unix', '1418342400', notATime],
    ['that is empty', '', notATime],
    ['that is a number', 1418342400000, invalid(['created_at', 'invalid_type', 'Created at must be a string'])],
    ['that is null', null, invalid(['created_at', 'invalid_type', 'Created at must be a string'])],
  ])('is refused with one %s', async (_what, created_at, refusal) => {
    expect(await at(MADE, () => create(house.author, { ...valid, created_at }))).toEqual(refusal)
  })
})

describe('GET /blogs/{blog_id}/posts and /posts/{post_id}', () => {
  test.each([
    ['its author', () => house.author],
    ['another author', () => house.other],
    ['a reader', () => house.reader],
    ['an owner', () => house.owner],
  ])('%s sees a post, alone and in the list', async (_who, as) => {
    const home = await newBlog(house.author)
    const posts = [await newPost(house.author, home.id), await newPost(house.author, home.id, { created_at: iso(MADE) })]
    expect(await show(as(), posts[1])).toEqual({ status: 200, body: posts[1] })
    expect(await ask('listPosts', { as: as(), params: { blog_id: home.id } })).toEqual({
      status: 200,
      body: { success: true, posts, next_cursor: null },
    })
  })

  test('a blog without posts has an empty list', async () => {
    const { id } = await newBlog(house.author)
    expect(await ask('listPosts', { as: house.reader, params: { blog_id: id } })).toEqual({
      status: 200,
      body: { success: true, posts: [], next_cursor: null },
    })
  })

  test.each([
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['an admin, whose tenant it is not', () => admin, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('are refused to %s', async (_who, as, refusal) => {
    expect(await ask('showPost', { as: as(), params: pathOf(await made()) })).toEqual(refusal)
    expect(await ask('listPosts', { as: as(), params: { blog_id: blog.id } })).toEqual(refusal)
  })
})

describe('PATCH /blogs/{blog_id}/posts/{post_id}', () => {
  test.each([
    ['the title', { title: 'After' }],
    ['the body', { body: 'After' }],
    ['both', { title: 'After', body: 'x'.repeat(307_200) }],
  ])('an author changes %s', async (_what, body) => {
    const post = await made()
    const changed = { ...post, ...body, updated_at: iso(CHANGED), version: 2 }
    expect(await at(CHANGED, () => patch(house.author, post, body))).toEqual({ status: 200, body: changed })
    expect(await show(house.author, post)).toEqual({ status: 200, body: changed })
  })

  test("an owner changes somebody's post, and it stays its author's", async () => {
    const post = await made()
    const changed = { ...post, title: 'After', updated_at: iso(CHANGED), version: 2 }
    expect(await at(CHANGED, () => patch(house.owner, post, { title: 'After' }))).toEqual({ status: 200, body: changed })
  })

  test('changes at once are counted, none is lost', async () => {
    const post = await made()
    const answers = await Promise.all([patch(house.author, post, { title: 'T' }), patch(house.owner, post, { body: 'B' })])
    expect(answers.map(({ body }) => body.version).sort()).toEqual([2, 3])
    expect(await show(house.author, post)).toMatchObject({ body: { title: 'T', body: 'B', version: 3 } })
  })

  test('what only the service sets is ignored, the date too', async () => {
    const post = await made()
    const given = {
      id: 7,
      blog_id: others.id,
      user_id: 1,
      blog_user_id: 1,
      created_at: '2001-01-01T00:00:00Z',
      updated_at: iso(0),
      version: 9,
    }
    const answer = await at(CHANGED, () => patch(house.author, post, { title: 'After', ...given }))
    expect(answer).toEqual({ status: 200, body: { ...post, title: 'After', updated_at: iso(CHANGED), version: 2 } })
  })

  test.each([
    ['without a field', {}, missing('title, body')],
    ['with nothing but a date', { created_at: '2001-01-01T00:00:00Z' }, missing('title, body')],
    ['with a blank title', { title: '', body: 'B' }, invalid(['title', 'blank', "Title can't be blank"])],
    ['with null as title', { title: null }, invalid(['title', 'invalid_type', 'Title must be a string'])],
    ['with null as body', { title: 'T', body: null }, invalid(['body', 'invalid_type', 'Body must be a string'])],
    [
      'with a long body',
      { body: 'x'.repeat(307_201) },
      invalid(['body', 'too_long', 'Body is too long (maximum is 307200 bytes)']),
    ],
    [
      'with all wrong',
      { body: ' ', title: '\ud83d' },
      invalid(['title', 'invalid_unicode', 'Title contains invalid Unicode'], ['body', 'blank', "Body can't be blank"]),
    ],
  ])('is refused %s, whether or not the post exists', async (_why, body, refusal) => {
    const post = await made()
    expect(await patch(house.author, post, body)).toEqual(refusal)
    expect(await patch(house.author, { ...post, id: 2 }, body)).toEqual(refusal)
    expect(await show(house.author, post)).toEqual({ status: 200, body: post })
  })
})

describe.each([
  ['GET', 'showPost', undefined, 200],
  ['PATCH', 'updatePost', { title: 'Taken over' }, 200],
  ['DELETE', 'deletePost', undefined, 204],
])('%s /blogs/{blog_id}/posts/{post_id}', (method, name, body, granted) => {
  const writes = method !== 'GET'

  test.each([
    ['another author', () => house.other, forbidden],
    ['a reader', () => house.reader, forbidden],
  ])(`${writes ? 'is refused' : 'is open'} to %s`, async (_who, as, refusal) => {
    const post = await made()
    expect(await ask(name, { as: as(), params: pathOf(post), body })).toEqual(writes ? refusal : { status: granted, body: post })
    expect(await show(house.author, post)).toEqual({ status: 200, body: post })
  })

  test.each([
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign author', () => foreign.author, notFound],
    ['an admin, whose tenant it is not', () => admin, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s', async (_who, as, refusal) => {
    const post = await made()
    expect(await ask(name, { as: as(), params: pathOf(post), body })).toEqual(refusal)
    expect(await show(house.author, post)).toEqual({ status: 200, body: post })
  })

  test('a post is found in its own blog only', async () => {
    const post = await made()
    for (const params of [
      { ...pathOf(post), blog_id: others.id },
      { ...pathOf(post), blog_id: 2 },
      { ...pathOf(post), post_id: 2 },
      { ...pathOf(post), post_id: blog.id },
    ]) {
      for (const as of [house.owner, house.author, house.other]) expect(await ask(name, { as, params, body })).toEqual(notFound)
    }
    expect(await show(house.author, post)).toEqual({ status: 200, body: post })
  })
})

describe('DELETE /blogs/{blog_id}/posts/{post_id}', () => {
  test.each([
    ['its author', () => house.author],
    ['an owner', () => house.owner],
  ])('%s deletes a post, and nothing that a path names it in is there any more', async (_who, as) => {
    const post = await made()
    const comment = await newComment(house.reader, post.id)
    expect(await remove(as(), post)).toEqual(gone)
    const short = { post_id: post.id }
    const named: [name: string, params: Record<string, number>, body?: object][] = [
      ['showPost', pathOf(post)],
      ['updatePost', pathOf(post), { title: 'Late' }],
      ['deletePost', pathOf(post)],
      ...[short, pathOf(post)].flatMap((params): [string, Record<string, number>, object?][] => [
        ['listComments', params],
        ['createComment', params, { body: 'Late' }],
        ['deleteComment', { ...params, comment_id: comment.id }],
      ]),
    ]
    for (const [name, params, body] of named) {
      expect({ name, ...(await ask(name, { as: house.owner, params, body })) }).toEqual({ name, ...notFound })
    }
    const { body } = await ask('listPosts', {
      as: house.author,
      params: { blog_id: blog.id },
      query: { limit: 100, created_before: iso(CHANGED), created_after: iso(MADE - 1) },
    })
    expect(body.posts.map(({ id }: Post) => id)).not.toContain(post.id)
  })
})

test('a list of posts that grow sevenfold on their way out is cut to what a Lambda may answer', async () => {
  const body = '\u0001'.repeat(174_000)
  const blog = await newBlog(house.author)
  const made: number[] = []
  for (let n = 0; n < 8; n++)
    made.unshift(
      (await ask('createPost', { as: house.author, params: { blog_id: blog.id }, body: { title: 'x', body } })).body.id,
    )
  const listed: number[] = []
  for (let cursor: string | undefined, pages = 0; cursor !== null && pages < 8; pages++) {
    const query = cursor === undefined ? {} : { cursor }
    const page = await ask('listPosts', { as: house.author, params: { blog_id: blog.id }, query })
    expect(Buffer.byteLength(JSON.stringify(JSON.stringify(page.body)))).toBeLessThan(6_000_000)
    listed.push(...page.body.posts.map(({ id }: { id: number }) => id))
    cursor = page.body.next_cursor
  }
  expect(listed).toEqual(made)
})
