import { parseArgs } from 'node:util'
import { API_PREFIX } from '#lib/http/respond.ts'
import { startEngine } from '#tools/engine.ts'
import { type Address, chooseAddress, warnOfHost } from '#tools/local/address.ts'
import { ensureAdmin } from '#tools/local/admin.ts'
import type { Installation } from '#tools/local/installation.ts'
import { newState, readState, resetState, type State, stateFiles, writeState } from '#tools/local/state.ts'
import type { StreamOptions } from '#tools/local/streams.ts'
import { welcome } from '#tools/local/welcome.ts'
import { command, Problem } from '#tools/problem.ts'
import { tableNameOf } from '#tools/stage.ts'
import { ensureTable, LOCAL } from '#tools/table.ts'

type Table = { endpoint: string; tableName: string }

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const stops: (() => Promise<void>)[] = []

await command(async () => {
  const { memory, packaged, reset } = readArguments()
  const address = await chooseAddress(process.env.HOST, process.env.PORT || undefined)
  warnOfHost(process.env.HOST)
  endOnSignals()
  if (reset) resetState()
  const state = memory ? newState() : readState()
  const table = await startTable(memory ? undefined : stateFiles.data)
  setEnvironment(state, table)
  await checkEnvironment()
  const admin = await ensureAdmin(state)
  if (!memory) writeState(admin.state)
  await startService(address, packaged, { ...table, checkpointFile: memory ? undefined : stateFiles.checkpoint })
  console.log(welcome({ ...admin, ...table, baseUrl: address.url + API_PREFIX, memory, seconds: performance.now() / 1000 }))
})

function readArguments(): { memory: boolean; packaged: boolean; reset: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        memory: { type: 'boolean', default: false },
        packaged: { type: 'boolean', default: false },
        reset: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    throw new Problem(`${(error as Error).message} Usage: npm start -- [--memory] [--packaged] [--reset]`)
  }
}

function endOnSignals(): void {
  for (const signal of SIGNALS) process.once(signal, end)
  if (process.env.npm_lifecycle_event) endWith(process.ppid)
}

/** npm passes a SIGTERM on to the shell between us, which dies of it without a word to us. */
function endWith(parent: number): void {
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    void end()
  }, 200).unref()
}

/** Ends everything in the reverse order of its start; a second signal does not wait. */
async function end(): Promise<void> {
  for (const signal of SIGNALS) process.removeListener(signal, end).once(signal, () => process.exit(1))
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop()
  process.exit(0)
}

async function startTable(dbPath: string | undefined): Promise<Table> {
  const tableName = tableNameOf()
  const { endpoint, stop } = await startEngine({ ...(dbPath && { dbPath }), onExit: engineEnded })
  stops.push(stop)
  await ensureTable(endpoint, tableName)
  return { endpoint, tableName }
}

function engineEnded(): void {
  console.error('The DynamoDB engine ended unexpectedly, and the service with it.')
  process.exit(1)
}

/** What a Lambda finds in its environment. Credentials of this machine are replaced: nothing here may reach AWS. */
function setEnvironment(state: State, { tableName: TABLE_NAME, endpoint: AWS_ENDPOINT_URL_DYNAMODB }: Table): void {
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = LOCAL.credentials
  Object.assign(process.env, {
    TABLE_NAME,
    AWS_ENDPOINT_URL_DYNAMODB,
    AWS_REGION: LOCAL.region,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
  })
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN']) delete process.env[name]
  process.env.JWT_SECRET ||= state.jwtSecret
  // An archive that is imported on one's own machine need not wait for anybody.
  process.env.TENANT_WRITES_PER_MINUTE ||= '60000'
}

/** A setting that the functions would refuse is better said now than in the first answer. */
async function checkEnvironment(): Promise<void> {
  const { authConfig } = await import('#lib/config.ts')
  try {
    authConfig()
  } catch (error) {
    throw new Problem((error as Error).message)
  }
}

async function startService(
  address: Address,
  packaged: boolean,
  stream: Omit<StreamOptions, 'workers' | 'invoke'>,
): Promise<void> {
  const [{ startGateway }, { startStreams }, installation] = await Promise.all([
    import('#tools/local/gateway.ts'),
    import('#tools/local/streams.ts'),
    packaged ? installPackaged() : installSources(),
  ])
  stops.push(installation.stop)
  stops.push(await startStreams({ ...stream, ...installation }))
  stops.push(await startGateway(address, installation))
}

async function installSources(): Promise<Installation> {
  const { fromSources } = await import('#tools/local/lambda.ts')
  return fromSources()
}

async function installPackaged(): Promise<Installation> {
  const { fromArtefacts } = await import('#tools/packaged/installation.ts')
  return fromArtefacts()
}
