import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { ask } from '#tests/support/answers.ts'
import { newAdmin, newBlog, newTenant, type Person } from '#tests/support/world.ts'

type Source = { title: string; date: string; body: string }
type Import = { title: string; body: string; created_at: string }

/** POSTS names another archive of the same form. */
const FILE = process.env.POSTS ?? 'tests/data/posts.ndjson'
const SOURCES: Source[] = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

/** Posts of one date get 0, 1, 2 ... ms more, in source order: what importers are asked to do. */
function datedApart(sources: Source[]): Import[] {
  const seen = new Map<string, number>()
  return sources.map(({ title, body, date }) => {
    const before = seen.get(date) ?? 0
    seen.set(date, before + 1)
    return { title, body, created_at: new Date(Date.parse(date) + before).toISOString() }
  })
}

const ARCHIVE = datedApart(SOURCES)

let author: Person
let params: { blog_id: number }
let posts: (Import & { id: number })[]

beforeAll(async () => {
  author = (await newTenant(await newAdmin())).author
  params = { blog_id: (await newBlog(author)).id }
  posts = []
  // Not oldest first: the order must come from the dates.
  for (const post of ARCHIVE.toReversed()) posts.unshift(await published(post))
}, 120_000)

async function published(post: Import) {
  const { status, body } = await ask('createPost', { as: author, params, body: post })
  expect(status).toBe(201)
  return body
}

const content = ({ title, body, created_at }: Import): Import => ({ title, body, created_at })

async function pages(query: Record<string, string | number>): Promise<Import[][]> {
  const found: Import[][] = []
  let cursor: string | null = null
  do {
    const { body } = await ask('listPosts', { as: author, params, query: { ...query, ...(cursor !== null && { cursor }) } })
    expect(body.posts.length).toBeLessThanOrEqual(Number(query.limit))
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(2_000_000)
    found.push(body.posts)
    cursor = body.next_cursor
  } while (cursor !== null && found.length <= ARCHIVE.length)
  expect(cursor).toBeNull()
  return found
}

describe('an archive of real posts', () => {
  test('holds what makes an import hard: equal dates, a body of 173,000 characters, many scripts', () => {
    expect(SOURCES.length).toBeGreaterThan(new Set(SOURCES.map(({ date }) => date)).size + 3)
    expect(Math.max(...SOURCES.map(({ body }) => body.length))).toBeGreaterThan(173_000)
    expect(SOURCES.some(({ body }) => /\p{Script=Han}/u.test(body) && /\p{Script=Cyrillic}/u.test(body))).toBe(true)
  })

  test('goes in with its dates, and each post comes back as it was sent', async () => {
    expect(posts.map(content)).toEqual(ARCHIVE)
    for (const post of posts) {
      expect(await ask('showPost', { as: author, params: { ...params, post_id: post.id } })).toEqual({ status: 200, body: post })
    }
  }, 60_000)

  test.each([
    ['one by one', 'asc', 1],
    ['oldest first', 'asc', 5],
    ['newest first', 'desc', 5],
    ['in the largest pages', 'desc', 100],
  ])(
    'comes out %s, page by page, in the order of its dates',
    async (_how, order, limit) => {
      const found = await pages({ order, limit })
      expect(found.flat().map(content)).toEqual(order === 'asc' ? ARCHIVE : ARCHIVE.toReversed())
    },
    60_000,
  )

  test('posts of one date stay in source order', async () => {
    const days = Map.groupBy(ARCHIVE, ({ created_at }) => created_at.slice(0, 10))
    for (const [day, expected] of days) {
      const range = { created_after: new Date(Date.parse(day) - 1).toISOString(), created_before: `${day}T23:59:59.999Z` }
      expect((await pages({ order: 'asc', limit: 100, ...range })).flat().map(content)).toEqual(expected)
    }
  }, 60_000)
})
