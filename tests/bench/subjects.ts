import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { authConfig } from '#lib/config.ts'
import { newStage, requestsOn } from '#tests/cost/requests.ts'
import { ROWS } from '#tests/cost/table.ts'
import { call, eventFor } from '#tests/support/call.ts'
import { PASSWORD } from '#tests/support/world.ts'
import { environmentOf } from '#tools/packaged/installation.ts'
import { ensurePackaged } from '#tools/packaged/package.ts'
import { functionsOf, type PackagedFunction, readTemplate } from '#tools/packaged/template.ts'
import { unzip } from '#tools/packaged/unzip.ts'
import { MB_PER_CORE } from './limit.ts'
import type { Subject } from './measure.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = join(ROOT, '.build/bench')

/** The names of what is no route of ours. */
export const EMPTY = 'empty'
export const PEERS = ['peer: SDK bundled', 'peer: SDK unbundled']

/**
 * Every HTTP function as it is packaged, two peers, and the empty handler that all are compared with; `link` is their way to the
 * table. What hashes has its own memory, a whole core; all others have `memoryMb`.
 */
export async function subjects(link: Record<string, string>, memoryMb: number): Promise<Subject[]> {
  rmSync(FOLDER, { recursive: true, force: true })
  await ensurePackaged()
  const stage = await newStage()
  const requests = requestsOn(stage)
  const template = readTemplate()
  const labels = new Map(ROWS.toReversed().map(({ name, when }) => [name, `${name} ${when}`.trim()]))
  const routes = functionsOf(template).filter(({ name }) => labels.has(name))
  const ours: Sizeless[] = []
  for (const fn of routes) {
    const event = async () => eventFor(fn.name, (await requests[labels.get(fn.name) ?? '']?.()) ?? {})
    ours.push(packaged(fn, environmentOf(fn, template), ONCE.test(fn.name) ? eachAnew(event) : repeated(await event())))
  }
  const as = { token: await jwtOf(stage.house.author.email) }
  const post = eventFor('createPost', { as, params: { blog_id: 1 }, body: { title: 'A post', body: 'Words' } })
  const all = [await empty(), ...(await peers(repeated(post))), ...ours]
  // Logins have their digests by now. Users who are made from here on are not there to log in.
  authConfig().BCRYPT_COST = 4
  return all.map((each) => ({ memoryMb, ...each, environment: { ...each.environment, ...link } }))
}

/** What is gone cannot be deleted again, an email is one user's, and a user has 20 keys at most. */
const ONCE = /^(delete\w+|createUser|createApiKey)$/
/** How many events are made side by side. */
const LANES = 8

type Events = Subject['events']

const repeated =
  (event: object): Events =>
  async (count) =>
    new Array(count).fill(event)

const eachAnew =
  (make: () => Promise<object>): Events =>
  async (count) => {
    const events: object[] = []
    while (events.length < count) events.push(...(await Promise.all(Array.from({ length: LANES }, make))))
    return events
  }

/** A subject whose memory may be left to the run. */
type Sizeless = Omit<Subject, 'memoryMb'> & { memoryMb?: number }

const ownMemory = ({ memorySize }: PackagedFunction) => (memorySize >= MB_PER_CORE ? { memoryMb: memorySize } : {})

function packaged(fn: PackagedFunction, environment: Record<string, string>, events: Events): Sizeless {
  const folder = join(FOLDER, fn.name)
  unzip(fn.zip, folder)
  const file = join(folder, fn.handler.replace(/\.\w+$/, '.mjs'))
  return { name: fn.name, folder, handler: fn.handler, ...ownMemory(fn), ...sizeOf(file), environment, events }
}

async function jwtOf(email: string): Promise<string> {
  return (await call('createSession', { body: { email, password: PASSWORD } })).body.jwt
}

const sizeOf = (file: string) => ({ bytes: statSync(file).size, gzipBytes: gzipSync(readFileSync(file), { level: 9 }).length })

function empty(): Promise<Sizeless> {
  return built(EMPTY, 'empty', repeated({}), { format: 'esm', outExtension: { '.js': '.mjs' } })
}

/** esbuild as serverless-esbuild sets it up, with the SDK in the bundle or left to what is installed beside it. */
function peers(events: Events): Promise<Sizeless[]> {
  const [inside = '', outside = ''] = PEERS
  const options: BuildOptions = { format: 'cjs', outExtension: { '.js': '.cjs' } }
  return Promise.all([
    built(inside, 'tutorial', events, options),
    built(outside, 'tutorial', events, { ...options, external: ['@aws-sdk/*'] }),
  ])
}

async function built(name: string, peer: string, events: Events, options: BuildOptions): Promise<Sizeless> {
  const folder = join(FOLDER, name.replaceAll(/\W+/g, '-'))
  const entry = join(ROOT, `tests/bench/peers/${peer}.ts`)
  await build({ bundle: true, platform: 'node', target: 'node24', entryPoints: [entry], outdir: folder, ...options })
  const [file = ''] = readdirSync(folder)
  return {
    name,
    folder,
    handler: `${peer}.handler`,
    ...sizeOf(join(folder, file)),
    environment: ownEnvironment(),
    events,
  }
}

/** What our functions have of it. */
function ownEnvironment(): Record<string, string> {
  const { TABLE_NAME = '', JWT_SECRET = '' } = process.env
  return { TABLE_NAME, JWT_SECRET }
}
