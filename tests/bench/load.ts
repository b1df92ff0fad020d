import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { startService } from '#tests/smoke/service.ts'
import { toMarkdown } from './report.ts'
import { quantile } from './statistics.ts'

const CLIENTS = [1, 8, 64]
const TENANTS = 4
/** How much more memory the second half of a level may end with: V8 collects when it likes. */
const GROWTH = 1.5
const PASSWORD = 'correct horse battery'

// biome-ignore lint/suspicious/noExplicitAny: bodies of the API, read field by field
type Answer = { status: number; body: any }

/** A tenant's blog with a few posts, each of which says whose it is. */
interface House {
  mark: string
  token: string
  blog: number
  posts: number[]
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

let api: string

function send(method: string, path: string, token?: string, body?: object): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) }
  const sent = request(api + path, { method, headers, agent }, async (response) => {
    resolve({ status: response.statusCode ?? 0, body: await json(response).catch(() => undefined) })
  })
  sent.on('error', reject).end(body && JSON.stringify(body))
  return promise
}

/**
 * A mixed load over HTTP on the local service: 70 % reads, 20 % creates, 10 % updates, of several tenants at once. Gives a table, and
 * what went wrong: any answer that is no success, or that holds a word of another tenant.
 */
export async function load(secondsPerLevel: number): Promise<{ table: string; wrong: string[] }> {
  process.env.TENANT_WRITES_PER_MINUTE = '100000000'
  const service = await startService()
  api = service.url
  const wrong: string[] = []
  try {
    const admin = (await send('POST', '/sessions', undefined, { email: service.email, password: service.password })).body.jwt
    const houses = await Promise.all(Array.from({ length: TENANTS }, (_, n) => newHouse(admin, n)))
    const rows: string[][] = []
    for (const clients of CLIENTS) rows.push(await level(clients, houses, secondsPerLevel, service.pid as number, wrong))
    return {
      table: toMarkdown(
        ['clients', 'requests/s', 'p50', 'p95', 'p99', 'errors', 'MB before', 'MB in the middle', 'MB after'],
        rows,
      ),
      wrong,
    }
  } finally {
    agent.destroy()
    await service.stop()
  }
}

async function newHouse(admin: string, n: number): Promise<House> {
  const mark = `of tenant ${n}`
  const { tenant } = (await send('POST', '/tenants', admin, { name: mark })).body
  const email = `owner${n}@example.org`
  const { user } = (await send('POST', `/tenants/${tenant.id}/users`, admin, { email, password: PASSWORD, role: 'owner' })).body
  const { token } = (await send('POST', '/login', undefined, { email, password: PASSWORD })).body
  const { blog } = (await send('POST', `/tenants/${tenant.id}/users/${user.id}/blogs`, token, { title: mark })).body
  const house = { mark, token, blog: blog.id, posts: [] as number[] }
  for (let i = 0; i < 20; i++) house.posts.push((await create(house)).body.id)
  return house
}

const create = ({ blog, token, mark }: House) => send('POST', `/blogs/${blog}/posts`, token, { title: mark, body: 'Words' })

async function level(clients: number, houses: House[], seconds: number, pid: number, wrong: string[]): Promise<string[]> {
  const begun = performance.now()
  const end = begun + seconds * 1000
  const times: number[] = []
  const errorsBefore = wrong.length
  const before = memoryOf(pid)
  let middle = before
  const client = async (n: number) => {
    for (let turn = n; performance.now() < end; turn++) {
      const house = houses[turn % houses.length] as House
      const started = performance.now()
      const complaint = await step(house, turn)
      times.push(performance.now() - started)
      if (complaint) wrong.push(complaint)
      if (performance.now() - begun < (seconds * 1000) / 2) middle = memoryOf(pid)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  const milliseconds = [0.5, 0.95, 0.99].map((part) => quantile(times, part).toFixed(1))
  const after = memoryOf(pid)
  if (after > middle * GROWTH)
    wrong.push(`memory grew from ${middle.toFixed(0)} to ${after.toFixed(0)} MB under ${clients} clients`)
  const memory = [before, middle, after].map((mb) => mb.toFixed(0))
  return [String(clients), (times.length / seconds).toFixed(0), ...milliseconds, String(wrong.length - errorsBefore), ...memory]
}

/** One request, by the turn; what is wrong with its answer, if anything is. */
async function step(house: House, turn: number): Promise<string | undefined> {
  const { blog, token, posts, mark } = house
  const post = posts[turn % posts.length]
  const kind = turn % 10
  const { status, body } =
    kind < 4
      ? await send('GET', `/blogs/${blog}/posts/${post}`, token)
      : kind < 7
        ? await send('GET', `/blogs/${blog}/posts`, token)
        : kind < 9
          ? await create(house)
          : await send('PATCH', `/blogs/${blog}/posts/${post}`, token, { body: `Words ${turn}` })
  const titles = (body?.posts ?? [body]).map((each: { title?: string } | undefined) => each?.title)
  if (status >= 300) return `${status}: ${JSON.stringify(body)}`
  return titles.every((title: unknown) => title === mark) ? undefined : `${mark} was shown ${JSON.stringify(titles)}`
}

const memoryOf = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
