import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { marshall } from '@aws-sdk/util-dynamodb'
import { type Bill, metered } from '#tests/cost/meter.ts'
import { blogOf, loadedAt, loadedId, loadedPost, newStage, type Stage } from '#tests/cost/requests.ts'
import { call } from '#tests/support/call.ts'
import { allItems } from '#tests/support/table.ts'
import { newBlog, type Person } from '#tests/support/world.ts'
import { findBinary, startEngine } from '#tools/engine.ts'
import { tableProperties } from '#tools/service.ts'
import { ensureTable } from '#tools/table.ts'
import { forwardTo } from './forward.ts'
import { toMarkdown } from './report.ts'
import { median } from './statistics.ts'

const FOLDER = fileURLToPath(new URL('../../.build/million', import.meta.url))
const FILE_POSTS = 20_000
const REPEATS = 21

type Cost = { bill: Bill; ms: number }
type Costs = Record<string, Cost>

/**
 * What people do in a blog of 100 posts and in one of very many, loaded straight into the engine's file: what it asks of the
 * table, and how long it takes. Over the engine's own API a million would take half an hour.
 */
export async function million(posts: number, progress: (text: string) => void): Promise<{ table: string; wrong: string[] }> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(join(FOLDER, 'export', tableName(), 'data'), { recursive: true })
  const line = await startSwitch()
  const small = await startEngine()
  line.connectTo(small.endpoint)
  await ensureTable(small.endpoint, tableName())
  const stage = await newStage()
  const as = stage.house.author
  const few = await costsIn(as, await blogOf(stage, 100), 100)
  const { id } = await newBlog(as)
  await writeExport(stage, id, posts, progress)
  await small.stop()
  const large = await startEngine({ dbPath: importAll() })
  line.connectTo(large.endpoint)
  try {
    return compare(few, await costsIn(as, id, posts), posts)
  } finally {
    await large.stop()
    line.close()
    rmSync(FOLDER, { recursive: true, force: true })
  }
}

function compare(few: Costs, many: Costs, posts: number): { table: string; wrong: string[] } {
  const rows = Object.keys(few).map((name) => [name, ...[few, many].flatMap((each) => cellsOf(each[name] as Cost))])
  const differing = Object.keys(few).filter((name) => JSON.stringify(few[name]?.bill) !== JSON.stringify(many[name]?.bill))
  return {
    table: toMarkdown(['', 'RCU of 100', 'WCU', 'ms', `RCU of ${posts}`, 'WCU', 'ms'], rows),
    wrong: differing.map((name) => `${name} costs more among ${posts} posts than among 100`),
  }
}

/** A loopback address whose other end can be moved: our client keeps the endpoint that it was made with. */
async function startSwitch() {
  let target = new URL('http://127.0.0.1')
  const forward = forwardTo(() => target)
  const server = createServer({ noDelay: true }, forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    connectTo(endpoint: string) {
      target = new URL(endpoint)
    },
    close: () => void server.close(),
  }
}

const tableName = (): string => process.env.TABLE_NAME as string

/** The table as it is and the blog's posts, as DynamoDB exports them: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html */
async function writeExport(stage: Stage, blog: number, posts: number, progress: (text: string) => void): Promise<void> {
  const write = (name: string, items: object[]) =>
    writeFileSync(
      join(FOLDER, 'export', tableName(), 'data', `${name}.json.gz`),
      gzipSync(items.map((item) => `${JSON.stringify({ Item: marshall(item, { removeUndefinedValues: true }) })}\n`).join(''), {
        level: 1,
      }),
    )
  write('table', await allItems())
  for (let made = 0; made < posts; made += FILE_POSTS) {
    const count = Math.min(FILE_POSTS, posts - made)
    write(
      String(made),
      Array.from({ length: count }, (_, n) => loadedPost(stage, blog, made + n + 1)),
    )
    progress(`${made + count} of ${posts} posts`)
  }
}

/** Gives the engine's file. */
function importAll(): string {
  const { AttributeDefinitions, KeySchema } = tableProperties()
  const schema = { Table: { TableName: tableName(), AttributeDefinitions, KeySchema } }
  const [file, schemaFile] = [join(FOLDER, 'data.db'), join(FOLDER, 'schema.json')]
  writeFileSync(schemaFile, JSON.stringify(schema))
  execFileSync(findBinary(), ['import', '--source', join(FOLDER, 'export'), '--schema', schemaFile, '--output', file], {
    stdio: 'ignore',
  })
  return file
}

async function costsIn(as: Person, blog_id: number, size: number): Promise<Costs> {
  const post_id = loadedId(size / 2)
  const created_before = new Date(loadedAt(size / 2)).toISOString()
  const create = () => call('createPost', { as, params: { blog_id }, body: { title: 'New', body: 'New' } })
  const made: number[] = []
  for (let n = 0; n <= REPEATS; n++) made.push((await create()).body.id)
  return {
    show: await cost(() => call('showPost', { as, params: { blog_id, post_id } })),
    'list, first page': await cost(() => call('listPosts', { as, params: { blog_id } })),
    'list, a page in the middle': await cost(() => call('listPosts', { as, params: { blog_id }, query: { created_before } })),
    create: await cost(create),
    update: await cost(() => call('updatePost', { as, params: { blog_id, post_id }, body: { title: 'Renamed' } })),
    delete: await cost(() => call('deletePost', { as, params: { blog_id, post_id: made.pop() as number } })),
  }
}

const cellsOf = ({ bill, ms }: Cost): string[] => [String(bill.rcu), String(bill.wcu), ms.toFixed(1)]

/** What one costs, and the median time of others. */
async function cost(work: () => Promise<{ status: number }>): Promise<Cost> {
  const { result, bill } = await metered(work)
  if (result.status >= 300) throw new Error(`Answered ${result.status}`)
  const times: number[] = []
  while (times.length < REPEATS) {
    const begun = performance.now()
    await work()
    times.push(performance.now() - begun)
  }
  return { bill, ms: median(times) }
}
