import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, ask, forbidden, notFound, unauthorized } from '#tests/support/answers.ts'
import { changesSince, undo } from '#tests/support/changes.ts'
import { allItems, type StoredItem } from '#tests/support/table.ts'
import { newAdmin, newBlog, newComment, newPost, newTenant, PASSWORD, type Person } from '#tests/support/world.ts'
import { type Route, routes } from '#tools/routes.ts'

/**
 * Who may do what, as the contract says it: each function of serverless.yml, on what, and the status that each caller gets.
 * `owner`, `author`, `other` (another author) and `reader` belong to one tenant, the house; `foreign` owns another.
 * A blog `of author` is the author's own; so are the post in it and the key. A comment `by reader` is one on that post.
 */
const EXPECTED = `
  function        on         | admin owner author other reader foreign nobody
  listTenants     everything |  200   403   403    403   403    403     401
  createTenant    everything |  201   403   403    403   403    403     401
  showTenant      house      |  200   200   200    200   200    404     401
  showTenant      platform   |  200   404   404    404   404    404     401
  updateTenant    house      |  200   200   403    403   403    404     401
  updateTenant    platform   |  200   404   404    404   404    404     401
  deleteTenant    house      |  204   204   403    403   403    404     401
  deleteTenant    platform   |  403   404   404    404   404    404     401

  listUsers       house      |  200   200   200    200   200    404     401
  listUsers       platform   |  200   404   404    404   404    404     401
  createUser      house      |  201   201   403    403   403    404     401
  createUser      platform   |  201   404   404    404   404    404     401
  showUser        author     |  200   200   200    200   200    404     401
  showUser        admin      |  200   404   404    404   404    404     401
  updateUser      owner      |  200   200   403    403   403    404     401
  updateUser      author     |  200   200   200    403   403    404     401
  updateUser      reader     |  200   200   403    403   200    404     401
  updateUser      admin      |  200   404   404    404   404    404     401
  deleteUser      owner      |  204   204   403    403   403    404     401
  deleteUser      author     |  204   204   204    403   403    404     401
  deleteUser      reader     |  204   204   403    403   204    404     401
  deleteUser      admin      |  403   404   404    404   404    404     401

  listBlogs       of author  |  200   200   200    200   200    404     401
  createBlog      of author  |  201   201   201    403   403    404     401
  createBlog      of reader  |  201   201   403    403   403    404     401
  showBlog        of author  |  200   200   200    200   200    404     401
  updateBlog      of author  |  200   200   200    403   403    404     401
  updateBlog      of reader  |  200   200   403    403   403    404     401
  deleteBlog      of author  |  204   204   204    403   403    404     401
  deleteBlog      of reader  |  204   204   403    403   403    404     401

  listPosts       of author  |  404   200   200    200   200    404     401
  listPosts       of admin   |  200   404   404    404   404    404     401
  createPost      of author  |  404   201   201    403   403    404     401
  createPost      of reader  |  404   201   403    403   403    404     401
  createPost      of admin   |  201   404   404    404   403    404     401
  showPost        of author  |  404   200   200    200   200    404     401
  showPost        of admin   |  200   404   404    404   404    404     401
  updatePost      of author  |  404   200   200    403   403    404     401
  updatePost      of reader  |  404   200   403    403   403    404     401
  updatePost      of admin   |  200   404   404    404   403    404     401
  deletePost      of author  |  404   204   204    403   403    404     401
  deletePost      of reader  |  404   204   403    403   403    404     401
  deletePost      of admin   |  204   404   404    404   403    404     401

  listComments    of author  |  404   200   200    200   200    404     401
  listComments    of admin   |  200   404   404    404   404    404     401
  createComment   of author  |  404   201   201    201   201    404     401
  createComment   of admin   |  201   404   404    404   404    404     401
  deleteComment   by owner   |  404   204   204    403   403    404     401
  deleteComment   by author  |  404   204   204    403   403    404     401
  deleteComment   by other   |  404   204   204    204   403    404     401
  deleteComment   by reader  |  404   204   204    403   204    404     401
  deleteComment   of admin   |  204   404   404    404   404    404     401

  createQuote     house      |  201   201   403    403   403    404     401
  createQuote     platform   |  201   404   404    404   404    404     401

  listApiKeys     everything |  200   200   200    200   200    200     401
  createApiKey    everything |  201   201   201    201   201    201     401
  deleteApiKey    of author  |  404   404   204    404   404    404     401

  login           everything |  200   200   200    200   200    200     200
  createSession   everything |  200   200   200    200   200    200     200
  showProfile     everything |  200   200   200    200   200    200     401
  deleteSessions  everything |  204   204   204    204   204    204     401
`

type Row = { name: string; on: string; statuses: Record<string, number> }

const [HEADER = '', ...LINES] = EXPECTED.split('\n').filter((line) => line.trim() !== '')
const CALLERS = HEADER.split('|')[1]?.trim().split(/\s+/) ?? []

const ROWS = LINES.map((line): Row => {
  const [left = '', right = ''] = line.split('|')
  const [name = '', ...on] = left.trim().split(/\s+/)
  const statuses = right.trim().split(/\s+/).map(Number)
  return { name, on: on.join(' '), statuses: Object.fromEntries(CALLERS.map((caller, i) => [caller, statuses[i] ?? 0])) }
})

const ROUTES = routes()

/** A row for each path that its function has. */
const CASES = ROWS.flatMap((row) => ROUTES.filter(({ name }) => name === row.name).map((route) => ({ ...row, route })))

/** Functions that write nothing even where they are granted, though they are no GET. */
const WRITES_NOTHING = ['createSession', 'createQuote']

const REFUSALS: Record<number, Answer> = { 401: unauthorized, 403: forbidden, 404: notFound }

let people: Record<string, Person | undefined>
let places: Record<string, Record<string, number>>
let before: StoredItem[]

beforeAll(async () => {
  const admin = await newAdmin()
  const [{ tenant_id, ...house }, { owner: foreign }] = await Promise.all([newTenant(admin), newTenant(admin)])
  people = { admin, ...house, foreign, nobody: undefined }

  const user = (person: Person) => ({ tenant_id: person.tenant_id, user_id: person.id })
  const blogOf = async (person: Person, by: Person) => {
    const blog = await newBlog(by, person)
    const post = await newPost(by, blog.id)
    return { ...user(person), blog_id: blog.id, post_id: post.id, comment_id: (await newComment(by, post.id)).id }
  }
  const key = await ask('createApiKey', { as: house.author, body: { name: 'A key' } })
  const ofAuthor = { ...(await blogOf(house.author, house.author)), key_id: key.body.key.id }
  const commentBy = async (person: Person) => ({ ...ofAuthor, comment_id: (await newComment(person, ofAuthor.post_id)).id })
  places = {
    everything: {},
    house: { tenant_id },
    platform: { tenant_id: 1 },
    admin: user(admin),
    owner: user(house.owner),
    author: user(house.author),
    reader: user(house.reader),
    'of author': ofAuthor,
    'of reader': await blogOf(house.reader, house.owner),
    'of admin': await blogOf(admin, admin),
    'by owner': await commentBy(house.owner),
    'by author': await commentBy(house.author),
    'by other': await commentBy(house.other),
    'by reader': await commentBy(house.reader),
  }
  before = await allItems()
})

/** What a granted call sends; nobody tries the author's credentials. */
function bodyOf(name: string, caller: Person = people.author as Person): object | undefined {
  const { email, tenant_id } = caller
  const bodies: Record<string, object> = {
    createTenant: { name: 'New' },
    updateTenant: { name: 'New' },
    createUser: { email: 'new@example.org', password: PASSWORD },
    updateUser: { name: 'New' },
    createBlog: { title: 'New' },
    updateBlog: { title: 'New' },
    createPost: { title: 'New', body: 'New' },
    updatePost: { title: 'New' },
    createComment: { body: 'New' },
    createQuote: { plan: 'team' },
    createApiKey: { name: 'New' },
    login: { email, password: PASSWORD, tenant_id },
    createSession: { email, password: PASSWORD, tenant_id },
  }
  return bodies[name]
}

function paramsOf({ name, params }: Route, on: string): Record<string, number> {
  const place = places[on]
  return Object.fromEntries(
    params.map((param) => {
      if (place?.[param] === undefined) throw new Error(`The row "${name} ${on}" has no ${param}`)
      return [param, place[param]]
    }),
  )
}

const isRefused = (status: number): boolean => status >= 400

/** Whether a call that is granted writes. */
const writes = ({ name, method }: Route): boolean => method !== 'GET' && !WRITES_NOTHING.includes(name)

/** A call's status; fails where the body is not that of its refusal. */
async function outcome({ route, on }: { route: Route; on: string }, caller: string): Promise<number> {
  const as = people[caller]
  const answer = await ask(route.name, { as, params: paramsOf(route, on), body: bodyOf(route.name, as) })
  if (isRefused(answer.status)) expect(answer, caller).toEqual(REFUSALS[answer.status])
  return answer.status
}

describe('the table of who may do what', () => {
  test('has a row for every function that serverless.yml gives a route, and for no other', () => {
    const named = (names: { name: string }[]) => [...new Set(names.map(({ name }) => name))].sort()
    expect(named(ROWS)).toEqual(named(ROUTES))
    expect(new Set(CASES.map(({ route }) => route))).toEqual(new Set(ROUTES))
  })

  test('has a status for every caller in every row', () => {
    expect(CALLERS).toEqual(['admin', 'owner', 'author', 'other', 'reader', 'foreign', 'nobody'])
    const known = [200, 201, 204, 401, 403, 404]
    for (const { name, statuses } of ROWS) {
      expect(
        Object.values(statuses).filter((status) => known.includes(status)),
        name,
      ).toHaveLength(CALLERS.length)
    }
  })
})

test.each(CASES.map((row) => [`${row.route.method} ${row.route.path}`, row.on, row] as const))(
  '%s (%s) is granted to those it says, and a refused call changes nothing',
  async (_route, _on, row) => {
    const seen: Record<string, number> = {}
    const leavesNoTrace = (caller: string) => isRefused(row.statuses[caller] ?? 0) || !writes(row.route)
    for (const caller of CALLERS.filter(leavesNoTrace)) seen[caller] = await outcome(row, caller)
    const trace = await changesSince(before)
    await undo(trace)
    expect(trace).toEqual([])
    for (const caller of CALLERS.filter((caller) => !leavesNoTrace(caller))) {
      seen[caller] = await outcome(row, caller)
      const changes = await changesSince(before)
      await undo(changes)
      expect(changes.length, caller).toBeGreaterThan(0)
    }
    expect(seen).toEqual(row.statuses)
  },
)

describe('a role, which only admins and owners give', () => {
  test.each(['author', 'reader'])('of %s', async (on) => {
    const give = (caller: string) =>
      ask('updateUser', { as: people[caller], params: places[on] ?? {}, body: { name: 'New', role: 'owner' } })
    for (const caller of ['author', 'other', 'reader']) expect(await give(caller), caller).toEqual(forbidden)
    expect(await give('foreign')).toEqual(notFound)
    expect(await give('nobody')).toEqual(unauthorized)
    expect(await changesSince(before)).toEqual([])
    for (const caller of ['admin', 'owner']) {
      expect(await give(caller)).toMatchObject({ status: 200, body: { user: { name: 'New', role: 'owner' } } })
      await undo(await changesSince(before))
    }
  })
})
