import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { startEngine } from '#tools/engine.ts'
import { hasRealRuntime } from '#tools/packaged/sandbox.ts'
import { command, Problem } from '#tools/problem.ts'
import { ensureTable, LOCAL } from '#tools/table.ts'
import { cpuLimit } from './limit.ts'
import { measure, type Sample, type Subject } from './measure.ts'
import { comparison, exceeded, pageOf, type Run, resultsOf, tableOf } from './report.ts'
import { median } from './statistics.ts'
import { EMPTY } from './subjects.ts'
import { linkTo } from './terminator.ts'

const RESULTS = new URL('RESULTS.md', import.meta.url)

/** A cold start is one number of a process, and needs many; warm events are many of one, so that each seventh round has them. */
const WARM_ROUNDS = 7

const USAGE =
  'Usage: npm run bench -- [--rounds 21] [--only createPost,login] [--memory 512] [--json FILE] [--compare FILE] [--keep], ' +
  'or npm run bench -- --load [--seconds 10] [--posts 1000000]'

// What was started ends with us, whoever ends us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

await command(async () => {
  const { load, seconds, posts, ...options } = readArguments()
  const over = load ? await benchLoad(seconds, posts) : await benchFunctions(options)
  console.log(over.length > 0 ? `Over budget:\n${over.slice(0, 20).join('\n')}` : 'All budgets are kept.')
  process.exitCode = over.length > 0 ? 1 : 0
})

/** Every function by itself, and what is over its budget. */
async function benchFunctions({ rounds, only, memory, json, compare, keep }: Options): Promise<string[]> {
  if (!hasRealRuntime)
    console.log("AWS's own runtime client is not built here (npm run ric): a stand-in serves, and ratios differ.")
  const { stop } = await prepare()
  try {
    const run = await runAll(rounds, only, memory)
    console.log(`\n${tableOf(run)}\n`)
    if (compare) console.log(`${comparison(JSON.parse(readFileSync(compare, 'utf8')), run)}\n`)
    if (json) writeFileSync(json, `${JSON.stringify(run, undefined, 2)}\n`)
    if (keep) writeFileSync(RESULTS, pageOf(run))
    return exceeded(run)
  } finally {
    await stop()
  }
}

/** The whole service under many clients, and one tenant with very many posts. */
async function benchLoad(seconds: number, posts: number): Promise<string[]> {
  const [{ load }, { million }] = await Promise.all([import('./load.ts'), import('./million.ts')])
  const mixed = await load(seconds)
  console.log(`${mixed.table}\n`)
  setEnvironment()
  const large = await million(posts, progress)
  progress('')
  console.log(`${large.table}\n`)
  return [...mixed.wrong, ...large.wrong]
}

type Options = Pick<ReturnType<typeof readArguments>, 'rounds' | 'only' | 'memory' | 'json' | 'compare' | 'keep'>

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '21' },
        only: { type: 'string' },
        memory: { type: 'string', default: '512' },
        json: { type: 'string' },
        compare: { type: 'string' },
        keep: { type: 'boolean', default: false },
        load: { type: 'boolean', default: false },
        seconds: { type: 'string', default: '10' },
        posts: { type: 'string', default: '1000000' },
      },
    })
    const { rounds, memory, seconds, posts } = values
    return {
      ...values,
      rounds: Number(rounds),
      seconds: Number(seconds),
      posts: Number(posts),
      only: values.only?.split(','),
      memory: Number(memory),
    }
  } catch (error) {
    throw new Problem(`${(error as Error).message} ${USAGE}`)
  }
}

async function prepare(): Promise<{ stop(): Promise<void> }> {
  const { endpoint, stop } = await startEngine()
  setEnvironment(endpoint)
  await ensureTable(endpoint, process.env.TABLE_NAME as string)
  await endStream(endpoint)
  return { stop }
}

/** No function here reads the stream, and dynoxide's writes take longer with every record in it: four times as long after 10,000. */
async function endStream(endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ ...LOCAL, endpoint })
  const StreamSpecification = { StreamEnabled: false }
  await client.send(new UpdateTableCommand({ TableName: process.env.TABLE_NAME, StreamSpecification }))
  client.destroy()
}

/** What functions find, here and in their processes, as at a deployment; bcrypt costs what it does there, and no limit is met. */
function setEnvironment(endpoint = ''): void {
  Object.assign(process.env, {
    TABLE_NAME: `masthead-${randomUUID()}`,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_REGION: LOCAL.region,
    AWS_ACCESS_KEY_ID: LOCAL.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL.credentials.secretAccessKey,
    JWT_SECRET: randomBytes(32).toString('hex'),
    LOG_LEVEL: 'error',
    TENANT_WRITES_PER_MINUTE: '1000000',
    SOURCE_FAILURES: '1000000',
    LOGIN_FAILURES: '1000000',
    LOGIN_FAILURES_PER_SOURCE: '1000000',
  })
}

/** Every subject once a round, the order turned by one each time. */
async function runAll(rounds: number, only: string[] | undefined, memoryMb: number): Promise<Run> {
  const { subjects } = await import('./subjects.ts')
  const link = await linkTo(process.env.AWS_ENDPOINT_URL_DYNAMODB as string)
  const all = (await subjects(link.environment, memoryMb)).filter(
    ({ name }) => !only || name === EMPTY || name.startsWith('peer') || only.includes(name),
  )
  const limit = cpuLimit()
  const samples: Map<string, Sample>[] = []
  const loads: number[] = []
  try {
    for (let n = 0; n < rounds; n++) {
      samples.push(await runRound(all, n, rounds, limit))
      loads.push(loadavg()[0] ?? 0)
    }
  } finally {
    limit?.remove()
    link.stop()
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GB, Node ${process.versions.node}`
  return {
    date: new Date().toISOString().slice(0, 10),
    machine,
    rounds,
    load: median(loads),
    limited: limit !== undefined,
    encrypted: link.isEncrypted,
    results: resultsOf(all, samples),
  }
}

async function runRound(
  all: Subject[],
  n: number,
  rounds: number,
  limit: ReturnType<typeof cpuLimit>,
): Promise<Map<string, Sample>> {
  const turned = [...all.slice(n % all.length), ...all.slice(0, n % all.length)]
  const samples = new Map<string, Sample>()
  for (const [index, subject] of turned.entries()) {
    progress(`round ${n + 1} of ${rounds}, ${index + 1} of ${all.length}: ${subject.name}`)
    samples.set(subject.name, await measure(subject, limit, n % WARM_ROUNDS === 0))
  }
  progress('')
  return samples
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
