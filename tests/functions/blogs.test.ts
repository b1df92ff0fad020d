import { beforeAll, describe, expect, test } from 'vitest'
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
  unauthorized,
} from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newPost, newTenant, type Person } from '#tests/support/world.ts'

let admin: Person
let house: House
let foreign: House

beforeAll(async () => {
  admin = await newAdmin()
  ;[house, foreign] = await Promise.all([newTenant(admin), newTenant(admin)])
})

type Blog = { id: number; tenant_id: number; user_id: number }

const of = ({ id, tenant_id }: Person) => ({ tenant_id, user_id: id })
const pathOf = ({ id, tenant_id, user_id }: Blog) => ({ tenant_id, user_id, blog_id: id })
const create = (as: Person, body: object, user: Person = as) => ask('createBlog', { as, params: of(user), body })
const made = async (user = house.author) =>
  (await at(MADE, () => create(user, { title: 'A blog', description: 'Of mine' }))).body.blog
const show = (as: Person, blog: Blog) => ask('showBlog', { as, params: pathOf(blog) })
const patch = (as: Person, blog: Blog, body: object) => ask('updateBlog', { as, params: pathOf(blog), body })
const remove = (as: Person, blog: Blog) => ask('deleteBlog', { as, params: pathOf(blog) })
const unchanged = (blog: Blog) => ({ status: 200, body: { success: true, blog } })

/** The paths to a blog that name one parent or the blog itself wrongly. */
const wrongPaths = (blog: Blog) => [
  { ...pathOf(blog), user_id: house.other.id },
  { ...pathOf(blog), user_id: foreign.author.id },
  { ...pathOf(blog), user_id: 2 },
  { ...pathOf(blog), blog_id: 2 },
  { ...pathOf(blog), blog_id: blog.user_id },
]

describe('POST /tenants/{tenant_id}/users/{user_id}/blogs', () => {
  test('an author creates a blog and is told where it is', async () => {
    const body = { title: 'Notes', description: 'On engines' }
    const made = await at(MADE, () => call('createBlog', { as: house.author, params: of(house.author), body }))
    const blog = { id: anId, ...of(house.author), ...body, created_at: iso(MADE), updated_at: iso(MADE), version: 1 }
    expect({ status: made.status, body: made.body }).toEqual({ status: 201, body: { success: true, blog } })
    const { tenant_id, user_id, id } = made.body.blog
    expect(made.headers.location).toBe(`/api/v1/tenants/${tenant_id}/users/${user_id}/blogs/${id}`)
    expect(await show(house.author, made.body.blog)).toEqual({ status: 200, body: made.body })
  })

  test('a blog has no description unless one is given, and titles need not be unique', async () => {
    const [one, other] = await Promise.all([
      create(house.author, { title: 'Same' }),
      create(house.author, { title: 'Same', description: '' }),
    ])
    expect(one).toMatchObject({ status: 201, body: { blog: { title: 'Same', description: '' } } })
    expect(other).toMatchObject({ status: 201, body: { blog: { title: 'Same', description: '' } } })
    expect(other.body.blog.id).not.toBe(one.body.blog.id)
  })

  test.each([
    ['an owner for itself', () => house.owner, () => house.owner],
    ['an owner for an author', () => house.owner, () => house.author],
    ['an owner for a reader', () => house.owner, () => house.reader],
    ['an admin in any tenant', () => admin, () => foreign.author],
    ['an admin for itself', () => admin, () => admin],
  ])('%s creates one', async (_who, by, user) => {
    expect(await create(by(), { title: 'A blog' }, user())).toMatchObject({ status: 201, body: { blog: of(user()) } })
  })

  test('what only the service sets, and what it does not know, is ignored', async () => {
    const given = {
      id: 7,
      tenant_id: foreign.tenant_id,
      user_id: house.other.id,
      created_at: iso(0),
      updated_at: iso(0),
      version: 9,
      body: 'x',
    }
    const { status, body } = await at(MADE, () => create(house.author, { title: 'A blog', ...given }))
    const blog = {
      id: anId,
      ...of(house.author),
      title: 'A blog',
      description: '',
      created_at: iso(MADE),
      updated_at: iso(MADE),
      version: 1,
    }
    expect({ status, body }).toEqual({ status: 201, body: { success: true, blog } })
    expect(body.blog.id).not.toBe(7)
  })

  test.each([
    ['as long as they may be', '🦀'.repeat(200), '🐟'.repeat(2000)],
    ['exactly as they were sent', '  <b>"Notes"</b>\\ \u0000\u200f ', ' \n\t é e\u0301 \ufeff'],
  ])('title and description are kept %s', async (_how, title, description) => {
    const answer = await create(house.author, { title, description })
    expect(answer).toMatchObject({ status: 201, body: { blog: { title, description } } })
    expect(await show(house.author, answer.body.blog)).toMatchObject({ status: 200, body: { blog: { title, description } } })
  })

  const titleTooLong = ['title', 'too_long', 'Title is too long (maximum is 200 characters)'] as const
  const descriptionTooLong = ['description', 'too_long', 'Description is too long (maximum is 2000 characters)'] as const

  test.each([
    ['no title', { description: 'Of mine' }, missing('title')],
    ['an empty title', { title: '' }, invalid(['title', 'blank', "Title can't be blank"])],
    ['a blank title', { title: ' \u2003\r\n' }, invalid(['title', 'blank', "Title can't be blank"])],
    ['null as title', { title: null }, invalid(['title', 'invalid_type', 'Title must be a string'])],
    ['an object as title', { title: {} }, invalid(['title', 'invalid_type', 'Title must be a string'])],
    ['a title of 201 characters', { title: 'x'.repeat(201) }, invalid([...titleTooLong])],
    ['a title of 201 emoji', { title: '🦀'.repeat(201) }, invalid([...titleTooLong])],
    [
      'a title with half a surrogate pair',
      { title: '\udc00!' },
      invalid(['title', 'invalid_unicode', 'Title contains invalid Unicode']),
    ],
    [
      'null as description',
      { title: 'T', description: null },
      invalid(['description', 'invalid_type', 'Description must be a string']),
    ],
    [
      'a boolean as description',
      { title: 'T', description: false },
      invalid(['description', 'invalid_type', 'Description must be a string']),
    ],
    ['a description of 2001 characters', { title: 'T', description: 'x'.repeat(2001) }, invalid([...descriptionTooLong])],
    ['a description of 2001 emoji', { title: 'T', description: '🦀'.repeat(2001) }, invalid([...descriptionTooLong])],
    [
      'everything wrong, in field order whatever the order sent',
      { description: '\ud83d', title: ' '.repeat(201) },
      invalid(
        ['title', 'blank', "Title can't be blank"],
        [...titleTooLong],
        ['description', 'invalid_unicode', 'Description contains invalid Unicode'],
      ),
    ],
  ])('is refused with %s, whether or not the user exists', async (_what, body, refusal) => {
    expect(await create(house.owner, body)).toEqual(refusal)
    expect(await create(house.owner, body, { ...house.owner, id: 2 })).toEqual(refusal)
  })

  test.each([
    ['an author for somebody else', () => house.author, () => house.other, forbidden],
    ['a reader for itself', () => house.reader, () => house.reader, forbidden],
    ['a reader for somebody else', () => house.reader, () => house.author, forbidden],
    ['a foreign owner', () => foreign.owner, () => house.author, notFound],
    ['a foreign reader', () => foreign.reader, () => house.author, notFound],
    ['an owner for a foreign user', () => house.owner, () => ({ ...foreign.author, tenant_id: house.tenant_id }), notFound],
    ['an admin in a tenant that is not there', () => admin, () => ({ ...house.author, tenant_id: 2 }), notFound],
    ['nobody', () => undefined, () => house.author, unauthorized],
  ])('is refused to %s', async (_who, as, user, refusal) => {
    expect(await ask('createBlog', { as: as(), params: of(user()), body: { title: 'A blog' } })).toEqual(refusal)
  })
})

describe('GET /tenants/{tenant_id}/users/{user_id}/blogs and /blogs/{blog_id}', () => {
  test.each([
    ['its author', () => house.author],
    ['another author', () => house.other],
    ['a reader', () => house.reader],
    ['an owner', () => house.owner],
    ['an admin', () => admin],
  ])('%s sees a blog, alone and in the list', async (_who, as) => {
    const blog = await made()
    expect(await show(as(), blog)).toEqual(unchanged(blog))
    const { status, body } = await ask('listBlogs', { as: as(), params: of(house.author), query: { order: 'asc', limit: 100 } })
    expect({ status, success: body.success }).toEqual({ status: 200, success: true })
    expect(body.blogs.find(({ id }: Blog) => id === blog.id)).toEqual(blog)
  })

  test('the list holds the blogs of one user, newest first', async () => {
    const { author, other } = await newTenant(admin)
    const [first, second, third] = [await at(MADE, () => newBlog(author)), await newBlog(other), await newBlog(author)]
    expect(await ask('listBlogs', { as: author, params: of(author) })).toEqual({
      status: 200,
      body: { success: true, blogs: [third, first], next_cursor: null },
    })
    expect(await ask('listBlogs', { as: author, params: of(other) })).toEqual({
      status: 200,
      body: { success: true, blogs: [second], next_cursor: null },
    })
  })

  test.each([
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('are refused to %s', async (_who, as, refusal) => {
    expect(await ask('showBlog', { as: as(), params: pathOf(await made()) })).toEqual(refusal)
    expect(await ask('listBlogs', { as: as(), params: of(house.author) })).toEqual(refusal)
  })

  test('a blog is found under its own user only', async () => {
    for (const params of wrongPaths(await made())) expect(await ask('showBlog', { as: house.owner, params })).toEqual(notFound)
    for (const user_id of [2, foreign.author.id]) {
      expect(await ask('listBlogs', { as: house.owner, params: { tenant_id: house.tenant_id, user_id } })).toEqual(notFound)
    }
  })
})

describe('PATCH /tenants/{tenant_id}/users/{user_id}/blogs/{blog_id}', () => {
  test.each([
    ['the title', { title: 'After' }],
    ['the description', { description: 'After' }],
    ['the description, to nothing', { description: '' }],
    ['both', { title: 'After', description: 'After too' }],
  ])('an author changes %s', async (_what, body) => {
    const blog = await made()
    const changed = { ...blog, ...body, updated_at: iso(CHANGED), version: 2 }
    expect(await at(CHANGED, () => patch(house.author, blog, body))).toEqual(unchanged(changed))
    expect(await show(house.author, blog)).toEqual(unchanged(changed))
  })

  test.each([
    ['an owner', () => house.owner],
    ['an admin', () => admin],
  ])('%s changes it too, and it stays its author’s', async (_who, as) => {
    const blog = await made()
    expect(await at(CHANGED, () => patch(as(), blog, { title: 'After' }))).toEqual(
      unchanged({ ...blog, title: 'After', updated_at: iso(CHANGED), version: 2 }),
    )
  })

  test('changes at once are counted, none is lost', async () => {
    const blog = await made()
    const answers = await Promise.all([
      patch(house.author, blog, { title: 'T' }),
      patch(house.owner, blog, { description: 'D' }),
      patch(admin, blog, { title: 'T' }),
    ])
    expect(answers.map(({ body }) => body.blog.version).sort()).toEqual([2, 3, 4])
    expect(await show(house.author, blog)).toMatchObject({ body: { blog: { title: 'T', description: 'D', version: 4 } } })
  })

  test('what only the service sets is ignored', async () => {
    const blog = await made()
    const given = {
      id: 7,
      tenant_id: 1,
      user_id: house.other.id,
      created_at: iso(0),
      updated_at: iso(0),
      version: 9,
      write_id: 'x',
      pk: 'x',
      sk: 'y',
    }
    const answer = await at(CHANGED, () => patch(house.author, blog, { title: 'After', ...given }))
    expect(answer).toEqual(unchanged({ ...blog, title: 'After', updated_at: iso(CHANGED), version: 2 }))
  })

  test.each([
    ['without a field', {}, missing('title, description')],
    ['with fields that are no fields of it', { user_id: 7, version: 2 }, missing('title, description')],
    ['with a blank title', { title: '', description: 'D' }, invalid(['title', 'blank', "Title can't be blank"])],
    ['with null as title', { title: null }, invalid(['title', 'invalid_type', 'Title must be a string'])],
    [
      'with null as description',
      { title: 'T', description: null },
      invalid(['description', 'invalid_type', 'Description must be a string']),
    ],
    [
      'with a long description',
      { description: 'x'.repeat(2001) },
      invalid(['description', 'too_long', 'Description is too long (maximum is 2000 characters)']),
    ],
  ])('is refused %s, whether or not the blog exists', async (_why, body, refusal) => {
    const blog = await made()
    expect(await patch(house.author, blog, body)).toEqual(refusal)
    expect(await patch(house.author, { ...blog, id: 2 }, body)).toEqual(refusal)
    expect(await show(house.author, blog)).toEqual(unchanged(blog))
  })
})

describe.each([
  ['PATCH', 'updateBlog', { title: 'Taken over' }],
  ['DELETE', 'deleteBlog', undefined],
])('%s /tenants/{tenant_id}/users/{user_id}/blogs/{blog_id}', (_method, name, body) => {
  test.each([
    ['another author', () => house.other, forbidden],
    ['a reader', () => house.reader, forbidden],
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign author', () => foreign.author, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s', async (_who, as, refusal) => {
    const blog = await made()
    expect(await ask(name, { as: as(), params: pathOf(blog), body })).toEqual(refusal)
    expect(await show(house.author, blog)).toEqual(unchanged(blog))
  })

  test('a reader may not touch a blog that was made for it', async () => {
    const blog = await newBlog(house.owner, house.reader)
    expect(await ask(name, { as: house.reader, params: pathOf(blog), body })).toEqual(forbidden)
    expect(await show(house.owner, blog)).toEqual(unchanged(blog))
  })

  test('a blog is found under its own user only', async () => {
    const blog = await made()
    for (const params of wrongPaths(blog)) expect(await ask(name, { as: house.owner, params, body })).toEqual(notFound)
    expect(await show(house.author, blog)).toEqual(unchanged(blog))
  })
})

describe('DELETE /tenants/{tenant_id}/users/{user_id}/blogs/{blog_id}', () => {
  test.each([
    ['its author', () => house.author],
    ['an owner', () => house.owner],
    ['an admin', () => admin],
  ])('%s deletes a blog, and nothing that a path names it in is there any more', async (_who, as) => {
    const blog = await made()
    const post = await newPost(house.author, blog.id)
    expect(await remove(as(), blog)).toEqual(gone)
    const [posts, comments] = [{ blog_id: blog.id }, { blog_id: blog.id, post_id: post.id }]
    const named: [name: string, params: Record<string, number>, body?: object][] = [
      ['showBlog', pathOf(blog)],
      ['updateBlog', pathOf(blog), { title: 'Late' }],
      ['deleteBlog', pathOf(blog)],
      ['listPosts', posts],
      ['createPost', posts, { title: 'Late', body: 'Late' }],
      ['showPost', comments],
      ['updatePost', comments, { title: 'Late' }],
      ['deletePost', comments],
      ['listComments', comments],
      ['createComment', comments, { body: 'Late' }],
    ]
    for (const [name, params, body] of named) {
      expect({ name, ...(await ask(name, { as: house.author, params, body })) }).toEqual({ name, ...notFound })
    }
    const { body } = await ask('listBlogs', { as: house.author, params: of(house.author), query: { limit: 100 } })
    expect(body.blogs.map(({ id }: Blog) => id)).not.toContain(blog.id)
  })
})
