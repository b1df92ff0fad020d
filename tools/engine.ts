import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { delimiter, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Problem } from '#tools/problem.ts'

const READY_WITHIN_MS = 10_000
const STOPPED_WITHIN_MS = 3_000

export interface Engine {
  endpoint: string
  stop(): Promise<void>
}

export interface EngineOptions {
  /** the file that keeps the data; without one it lives in memory only */
  dbPath?: string
  /** called when the engine ends without having been asked to */
  onExit?: () => void
}

/**
 * Starts dynoxide on a free loopback port and waits until it answers, or takes the engine that DYNAMODB_ENDPOINT names.
 * Throws a Problem when there is no engine for this platform or when it cannot open its data file.
 */
export async function startEngine({ dbPath, onExit = () => {} }: EngineOptions = {}): Promise<Engine> {
  const { DYNAMODB_ENDPOINT } = process.env
  if (DYNAMODB_ENDPOINT) return { endpoint: DYNAMODB_ENDPOINT, stop: async () => {} }
  const port = await freePort()
  const child = launch(findBinary(), ['serve', '--port', String(port), ...(dbPath ? ['--db-path', dbPath] : [])])
  const endpoint = `http://127.0.0.1:${port}`
  await untilReady(child, endpoint, dbPath)
  child.once('exit', onExit)
  return { endpoint, stop: () => stop(child.off('exit', onExit)) }
}

/** A port of 127.0.0.1 that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Where dynoxide is. Throws a Problem where it is not. */
export function findBinary(): string {
  const found = [packagedBinary(), ...installedBinaries()].find(isExecutable)
  if (found) return found
  throw new Problem(
    `There is no DynamoDB engine for ${process.platform}-${process.arch} here: install one with \`npm i --no-save dynoxide\` or ` +
      '`brew install nubo-db/tap/dynoxide`, or name a running one (DynamoDB Local, say) in DYNAMODB_ENDPOINT.',
  )
}

const fileName = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'

function packagedBinary(): string {
  try {
    return createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/${fileName}`)
  } catch {
    return ''
  }
}

const installedBinaries = () => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, fileName))

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** In a process group of its own: a Ctrl-C reaches us first, and the engine ends after what uses it. */
function launch(binary: string, args: string[]): ChildProcess {
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

async function untilReady(child: ChildProcess, endpoint: string, dbPath?: string): Promise<void> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-1000)
  })
  child.on('error', (error) => {
    said = error.message
  })
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await wait(10)) {
    if (await answers(endpoint)) return
    if (child.exitCode !== null || child.pid === undefined) break
  }
  await stop(child)
  throw notStarted(firstSentence(said) || 'it did not answer', dbPath)
}

const firstSentence = (text: string) =>
  text
    .replace(/^error: (Internal error: )?/, '')
    .trim()
    .split('. ')[0]

const notStarted = (reason: string, dbPath?: string) =>
  new Problem(
    dbPath
      ? `The data file ${relative('', dbPath)} cannot be opened (${reason}): \`npm start -- --reset\` begins anew without it.`
      : `The DynamoDB engine did not start: ${reason}`,
  )

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(1000) })
    return true
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([ended, wait(STOPPED_WITHIN_MS, undefined, { ref: false })])
  child.kill('SIGKILL')
}
