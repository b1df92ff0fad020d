import { beforeAll, describe, expect, test } from 'vitest'
import { ask, at, invalid, invalidCursor, iso } from '#tests/support/answers.ts'
import { type CallRequest, call } from '#tests/support/call.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant, PASSWORD, type Person } from '#tests/support/world.ts'

type Query = NonNullable<CallRequest['query']>

/** A list, a place of its own to look at, and how a record gets there. */
type List = {
  name: string
  records: string
  defaultOrder: 'asc' | 'desc'
  /** A new place: whose eyes, which path, what stands in it before, and how one more is made. */
  open(): Promise<Place>
}

type Place = { as: Person; params: Record<string, number>; there: number[]; make(): Promise<number> }

let admin: Person
let house: House
let blogs = 0

const userIn = (tenant_id: number) => async () => {
  const body = { email: `u${++blogs}@example.org`, password: PASSWORD }
  return (await ask('createUser', { as: admin, params: { tenant_id }, body })).body.user.id
}

async function openComments(form: 'short' | 'long'): Promise<Place> {
  const post = await newPost(house.author, (await newBlog(house.author)).id)
  const params = { post_id: post.id, ...(form === 'long' && { blog_id: post.blog_id }) }
  return { as: house.reader, params, there: [], make: async () => (await newComment(house.reader, post.id)).id }
}

const LISTS: List[] = [
  {
    name: 'listTenants',
    records: 'tenants',
    defaultOrder: 'desc',
    open: async () => {
      const { body } = await ask('listTenants', { as: admin, query: { limit: 100, order: 'asc' } })
      const make = async () => (await ask('createTenant', { as: admin, body: { name: 'T' } })).body.tenant.id
      return { as: admin, params: {}, there: body.tenants.map(({ id }: { id: number }) => id), make }
    },
  },
  {
    name: 'listUsers',
    records: 'users',
    defaultOrder: 'desc',
    open: async () => {
      const { tenant_id, ...people } = await newTenant(admin)
      return {
        as: people.reader,
        params: { tenant_id },
        there: Object.values(people).map(({ id }) => id),
        make: userIn(tenant_id),
      }
    },
  },
  {
    name: 'listBlogs',
    records: 'blogs',
    defaultOrder: 'desc',
    open: async () => {
      const user_id = await userIn(house.tenant_id)()
      const user = { ...house.author, id: user_id }
      const make = async () => (await newBlog(house.owner, user)).id
      return { as: house.reader, params: { tenant_id: house.tenant_id, user_id }, there: [], make }
    },
  },
  {
    name: 'listPosts',
    records: 'posts',
    defaultOrder: 'desc',
    open: async () => {
      const blog = await newBlog(house.author)
      return {
        as: house.reader,
        params: { blog_id: blog.id },
        there: [],
        make: async () => (await newPost(house.author, blog.id)).id,
      }
    },
  },
  { name: 'listComments', records: 'comments', defaultOrder: 'asc', open: () => openComments('short') },
  { name: 'listComments', records: 'comments', defaultOrder: 'asc', open: () => openComments('long') },
]

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

const START = Date.UTC(2010, 5, 1, 12)
const HOUR = 3_600_000
/** When the n-th record of a place was made. */
const hour = (n: number): number => START + n * HOUR

const idsIn = (body: Record<string, { id: number }[]>, records: string): number[] => (body[records] ?? []).map(({ id }) => id)

/** Pages through a list, doing something between the pages; 200 pages at most. */
async function walkThrough(
  { name, records }: Pick<List, 'name' | 'records'>,
  { as, params }: Place,
  query: Record<string, string | number>,
  between: () => Promise<void> = async () => {},
): Promise<number[]> {
  const found: number[] = []
  let cursor: string | null = ''
  for (let page = 0; cursor !== null && page < 200; page++) {
    const { status, body } = await ask(name, { as, params, query: { ...query, ...(cursor !== '' && { cursor }) } })
    expect(status).toBe(200)
    found.push(...idsIn(body, records))
    cursor = body.next_cursor
    await between()
  }
  expect(cursor).toBeNull()
  return found
}

describe.each(LISTS)('$name', ({ name, records, defaultOrder, open }) => {
  const SIZE = 24
  let place: Place
  /** What is there, oldest first: the records of known hours, then what was there before. */
  let made: number[]
  let oldestFirst: number[]

  beforeAll(async () => {
    place = await open()
    made = []
    for (let n = 0; n < SIZE; n++) made.push(await at(hour(n), place.make))
    oldestFirst = [...place.there, ...made].sort((a, b) => a - b)
  })

  const list = (query: Query = {}, { as, params }: Place = place) => call(name, { as, params, query })
  const idsOf = (body: Record<string, { id: number }[]>): number[] => idsIn(body, records)
  const walk = (query: Record<string, string | number>) => walkThrough({ name, records }, place, query)
  const inOrder = (order: string) => (order === 'asc' ? oldestFirst : oldestFirst.toReversed())

  test('gives the first 20 in its own order unless asked otherwise', async () => {
    const { status, body } = await list()
    expect({ status, success: body.success, keys: Object.keys(body) }).toEqual({
      status: 200,
      success: true,
      keys: ['success', records, 'next_cursor'],
    })
    expect(idsOf(body)).toEqual(inOrder(defaultOrder).slice(0, 20))
    expect(body.next_cursor).toEqual(expect.stringMatching(/^[\w-]+$/))
    expect((await list({ order: defaultOrder, limit: 20 })).body).toEqual(body)
  })

  test.each(['asc', 'desc'])('gives all of them %s, as many at a time as asked for', async (order) => {
    for (const limit of [1, 7, 100]) {
      expect((await list({ order, limit })).body[records]).toHaveLength(Math.min(limit, oldestFirst.length))
    }
    expect(await walk({ order, limit: 7 })).toEqual(inOrder(order))
    expect(await walk({ order, limit: 100 })).toEqual(inOrder(order))
  })

  test('names the next page in a Link header, which goes where the cursor goes', async () => {
    const query = `order=asc&limit=10&note=${encodeURIComponent('a b&c>"é')}&created_after=${encodeURIComponent('2010-06-01T14:00:00+02:00')}`
    const path = /^<(\/api\/v1\/[a-z0-9/]+)\?([^<>"]+)>; rel="next"$/
    const found: number[] = []
    let next = query
    let pages = 0
    for (; next !== '' && pages < 20; pages++) {
      const { headers, body } = await list(next)
      found.push(...idsOf(body))
      const [, rawPath, rawQuery = ''] = path.exec(headers.link ?? '') ?? []
      expect(new URLSearchParams(rawQuery).get('cursor')).toBe(body.next_cursor)
      if (rawQuery !== '') {
        const { cursor: _, ...others } = Object.fromEntries(new URLSearchParams(rawQuery))
        expect(others).toEqual(Object.fromEntries(new URLSearchParams(query)))
        expect(rawPath).toBe(`/api/v1${ownPath(name, place.params)}`)
      }
      next = rawQuery
    }
    expect(found).toEqual(oldestFirst.filter((id) => id > (made[0] as number)))
    expect(pages).toBeGreaterThan(2)
  })

  test('gives what was made after and before a time, neither included, to the millisecond', async () => {
    const between = (after: number | string, before: number | string, order = 'asc') => ({
      order,
      limit: 100,
      created_after: typeof after === 'number' ? iso(after) : after,
      created_before: typeof before === 'number' ? iso(before) : before,
    })
    const ids = async (query: Query) => {
      const { status, body } = await list(query)
      return { status, ids: idsOf(body), next_cursor: body.next_cursor }
    }
    const exactly = (from: number, to: number) => ({ status: 200, ids: made.slice(from, to), next_cursor: null })
    expect(await ids(between(hour(3), hour(7)))).toEqual(exactly(4, 7))
    expect(await ids(between(hour(3) - 1, hour(7)))).toEqual(exactly(3, 7))
    expect(await ids(between(hour(3), hour(7) + 1))).toEqual(exactly(4, 8))
    expect(await ids(between('2010-06-01T17:00:00+02:00', '2010-06-01T12:00:00-07:00'))).toEqual(exactly(4, 7))
    expect(await ids(between(hour(3), hour(7), 'desc'))).toEqual({ ...exactly(4, 7), ids: made.slice(4, 7).reverse() })
    expect(await ids(between(hour(3), hour(4)))).toEqual(exactly(0, 0))
    expect(await ids(between(hour(3) - 1, hour(3) + 1))).toEqual(exactly(3, 4))
    expect(await ids(between(hour(3), hour(3)))).toEqual(exactly(0, 0))
    expect(await ids(between(hour(3), hour(3) + 1))).toEqual(exactly(0, 0))
    expect(await ids(between(hour(7), hour(3)))).toEqual(exactly(0, 0))
    expect(await ids(between('0001-01-01T00:00:00Z', hour(2)))).toMatchObject({ ids: expect.arrayContaining(made.slice(0, 2)) })
    expect(await ids({ created_after: '9999-12-31T23:59:59Z' })).toEqual(exactly(0, 0))
  })

  test.each(['asc', 'desc'])('pages through a range %s', async (order) => {
    const range = { created_after: iso(hour(2)), created_before: iso(hour(20)) }
    const expected = made.slice(3, 20)
    expect(await walk({ order, limit: 4, ...range })).toEqual(order === 'asc' ? expected : expected.toReversed())
  })

  test('takes a cursor for this list, order and range only', async () => {
    const range = { created_after: iso(hour(0)), created_before: iso(hour(20)) }
    const { cursor, ...query } = {
      order: 'asc',
      limit: 2,
      ...range,
      cursor: (await list({ order: 'asc', limit: 2, ...range })).body.next_cursor,
    }
    const sameTime = { ...range, created_after: iso(hour(0)).replace('.000Z', '+00:00') }
    expect(idsOf((await list({ ...query, ...sameTime, limit: 5, cursor })).body)).toEqual(made.slice(3, 8))
    const otherQueries: Query[] = [
      { ...query, order: 'desc' },
      { ...query, created_after: iso(hour(0) + 1) },
      { ...query, created_before: iso(hour(20) - 1) },
      { order: 'asc', limit: 2, created_after: range.created_after },
      { order: 'asc', limit: 2 },
      {},
    ]
    for (const other of otherQueries) {
      expect(await list({ ...(other as object), cursor })).toMatchObject(invalidCursor)
    }
    if (name !== 'listTenants') expect(await list({ ...query, cursor }, await open())).toMatchObject(invalidCursor)
  })

  test('takes no cursor that was changed, cut, prolonged or made up', async () => {
    const query = { limit: 3 }
    const cursor: string = (await list(query)).body.next_cursor
    const flip = (i: number) => cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1)
    const flipped = [0, 5, 10, 11, 16, 21, 26, 31].map(flip)
    expect(cursor).toHaveLength(32)
    const bad = [
      ...flipped,
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor.repeat(2),
      cursor.toLowerCase(),
    ]
    const madeUp = [
      '',
      'abc',
      '0',
      'null',
      '💥',
      '../..',
      'A'.repeat(32),
      'A'.repeat(5000),
      String(made[3]),
      btoa(JSON.stringify({ pk: 'TENANTS', sk: '1' })),
    ]
    for (const wrong of [...bad, ...madeUp]) {
      if (wrong !== cursor) expect(await list({ ...query, cursor: wrong }), wrong).toMatchObject(invalidCursor)
    }
    expect(idsOf((await list({ ...query, cursor })).body)).toEqual(inOrder(defaultOrder).slice(3, 6))
  })

  const limit = invalid(['limit', 'out_of_range', 'Limit must be between 1 and 100'])
  const order = invalid(['order', 'inclusion', 'Order is not included in the list'])
  const after = invalid(['created_after', 'invalid', 'Created after is not a valid time'])
  const before = invalid(['created_before', 'invalid', 'Created before is not a valid time'])
  const twice = (field: string, words: string) => invalid([field, 'repeated', `${words} is given more than once`])

  test.each<[string, object]>([
    ['limit=0', limit],
    ['limit=101', limit],
    ['limit=-1', limit],
    ['limit=abc', limit],
    ['limit=', limit],
    ['limit', limit],
    ['limit=1.5', limit],
    ['limit=1e1', limit],
    ['limit=%2010', limit],
    ['limit=+10', limit],
    ['limit=0x10', limit],
    ['limit=1000000000000000000000', limit],
    ['order=up', order],
    ['order=ASC', order],
    ['order=', order],
    ['created_after=yesterday', after],
    ['created_after=', after],
    ['created_after=2010-06-01', after],
    ['created_after=2010-06-01T12:00:00', after],
    ['created_after=2010-02-30T12:00:00Z', after],
    ['created_after=1275393600000', after],
    // A plus that was not encoded is a space.
    ['created_after=2010-06-01T12:00:00+02:00', after],
    ['created_before=tomorrow', before],
    ['limit=2&limit=3', twice('limit', 'Limit')],
    ['limit=2&limit=2', twice('limit', 'Limit')],
    ['limit=2,3', limit],
    ['order=asc&order=desc', twice('order', 'Order')],
    ['cursor=a&cursor=a', twice('cursor', 'Cursor')],
    ['created_after=2010-06-01T12:00:00Z&created_after=', twice('created_after', 'Created after')],
    ['created_before=x&created_before=y', twice('created_before', 'Created before')],
    [
      'created_before=x&created_after=y&order=up&limit=0',
      invalid(
        ['limit', 'out_of_range', 'Limit must be between 1 and 100'],
        ['order', 'inclusion', 'Order is not included in the list'],
        ['created_after', 'invalid', 'Created after is not a valid time'],
        ['created_before', 'invalid', 'Created before is not a valid time'],
      ),
    ],
  ])('refuses ?%s', async (query, refusal) => {
    expect(await ask(name, { as: place.as, params: place.params, query })).toEqual(refusal)
  })

  test('ignores parameters that it does not know, however often they are given', async () => {
    const plain = await list('limit=2')
    for (const more of [
      'page=3',
      'offset=2&offset=3',
      'Limit=50',
      'LIMIT=0',
      'limit[]=9',
      '=',
      '&&',
      '%',
      'next_cursor=x',
      '__proto__=1',
    ]) {
      expect((await list(`${more}&limit=2`)).body).toEqual(plain.body)
    }
  })
})

describe.each(LISTS)('$name while records come in', (list) => {
  test.each(['asc', 'desc'])(
    'gives %s what was there, each once, and of the new ones those that are still ahead',
    async (order) => {
      const place = await list.open()
      const there = [...place.there]
      for (let n = 0; n < 9; n++) there.push(await at(hour(n), place.make))
      const [oldest, middle, newest]: [number[], number[], number[]] = [[], [], []]
      const insert = async () => {
        if (oldest.length >= 3) return
        const n = oldest.length
        oldest.push(await at(hour(n - 50), place.make))
        middle.push(await at(hour(4) + 60_000 * (n + 1), place.make))
        newest.push(await place.make())
      }
      const found = await walkThrough(list, place, { order, limit: 2 }, insert)
      expect(found).toEqual([...new Set(found)].sort((a, b) => (order === 'asc' ? a - b : b - a)))
      expect(found).toEqual(expect.arrayContaining(there))
      const [behind, ahead] = order === 'asc' ? [oldest, newest] : [newest, oldest]
      expect(found).toEqual(expect.arrayContaining(ahead))
      expect(found.filter((id) => behind.includes(id))).toEqual([])
      expect(found.filter((id) => ![...there, ...middle, ...ahead].includes(id))).toEqual([])
    },
  )
})

/** The path of a list as its route writes it, with the parameters filled in. */
function ownPath(name: string, { tenant_id, user_id, blog_id, post_id }: Record<string, number>): string {
  const paths: Record<string, string> = {
    listTenants: '/tenants',
    listUsers: `/tenants/${tenant_id}/users`,
    listBlogs: `/tenants/${tenant_id}/users/${user_id}/blogs`,
    listPosts: `/blogs/${blog_id}/posts`,
    listComments: `${blog_id === undefined ? '' : `/blogs/${blog_id}`}/posts/${post_id}/comments`,
  }
  return paths[name] as string
}

describe('a cursor of another tenant', () => {
  test('is not taken in the same kind of list, nor one of another list of the same parent', async () => {
    const other = await newTenant(admin)
    const cursors: Record<string, string> = {}
    const places = { mine: house, theirs: other }
    const blogOf: Record<string, number> = {}
    for (const [whose, { owner }] of Object.entries(places)) {
      blogOf[whose] = (await newBlog(owner)).id
      for (let n = 0; n < 2; n++) await newPost(owner, blogOf[whose] as number)
      const { body } = await ask('listPosts', { as: owner, params: { blog_id: blogOf[whose] as number }, query: { limit: 1 } })
      cursors[whose] = body.next_cursor
    }
    const withCursor = (as: Person, blog_id: number, cursor: string) =>
      ask('listPosts', { as, params: { blog_id }, query: { limit: 1, cursor } })
    expect(await withCursor(house.owner, blogOf.mine as number, cursors.theirs as string)).toEqual(invalidCursor)
    expect(await withCursor(other.owner, blogOf.theirs as number, cursors.mine as string)).toEqual(invalidCursor)
    const users = { as: house.owner, params: { tenant_id: house.tenant_id }, query: { limit: 1, cursor: cursors.mine as string } }
    expect(await ask('listUsers', users)).toEqual(invalidCursor)
  })
})

describe('a list whose parent is not there', () => {
  test.each([
    ['limit=0', invalid(['limit', 'out_of_range', 'Limit must be between 1 and 100'])],
    ['cursor=abc', invalidCursor],
  ])('answers a wrong query (%s) as one whose parent is', async (query, refusal) => {
    const blog = await newBlog(house.author)
    for (const blog_id of [blog.id, 2])
      expect(await ask('listPosts', { as: house.author, params: { blog_id }, query })).toEqual(refusal)
  })
})

describe('the list of all tenants', () => {
  test('has the platform where it belongs by its date', async () => {
    const { body } = await ask('showTenant', { as: admin, params: { tenant_id: 1 } })
    const made = Date.parse(body.tenant.created_at)
    const { body: found } = await ask('listTenants', {
      as: admin,
      query: { created_after: iso(made - 1), created_before: iso(made + 1), limit: 100 },
    })
    expect(found.tenants).toContainEqual(body.tenant)
  })
})
