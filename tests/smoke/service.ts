import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const READY = /^Masthead is ready after .*: (http\S+)$/m
const READY_WITHIN_MS = 15_000
const PACKAGED_WITHIN_MS = 240_000 // `serverless package` runs first where the sources have changed
const STOPPED_WITHIN_MS = 10_000

/** A running installation and the account of an admin in it. */
export interface Service {
  url: string
  email: string
  password: string
  /** of its process, where it is ours */
  pid?: number | undefined
  stop(): Promise<void>
}

/** The installation that `API_URL` names, or a local one. Throws when only a part of it is named. */
export async function serviceUnderTest(): Promise<Service> {
  const { API_URL: url, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = process.env
  if (!url) return startService()
  if (!email || !password) throw new Error('API_URL names a service: ADMIN_EMAIL and ADMIN_PASSWORD must name an admin of it.')
  return { url: url.replace(/\/+$/, ''), email, password, stop: async () => {} }
}

/** Runs what `npm start` runs, on a free port and with its data in memory. Throws when it does not get ready. */
export async function startService({ packaged = false } = {}): Promise<Service> {
  const account = { email: 'admin@example.com', password: randomUUID() }
  const child = spawn(process.execPath, ['tools/start.ts', '--memory', ...(packaged ? ['--packaged'] : [])], {
    cwd: ROOT,
    env: { ...process.env, ...environmentFor(account) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => end(child)
  try {
    return { url: await urlOf(child, packaged ? PACKAGED_WITHIN_MS : READY_WITHIN_MS), ...account, pid: child.pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const environmentFor = ({ email, password }: { email: string; password: string }) => ({
  HOST: '',
  PORT: '0',
  ADMIN_EMAIL: email,
  ADMIN_PASSWORD: password,
  TABLE_NAME: `masthead-${randomUUID()}`, // a named engine (DYNAMODB_ENDPOINT) keeps its tables
  LOGIN_TOKEN: '',
  npm_lifecycle_event: 'start', // under npm, it ends with whoever started it
})

/** What the service prints once it answers. */
function urlOf(child: ChildProcess, withinMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    const refuse = (why: string) => reject(new Error(`The local service did not start: ${why}.\n${printed}`))
    const timer = setTimeout(() => refuse(`not ready within ${withinMs / 1000} s`), withinMs)
    child.once('error', ({ message }) => refuse(message))
    child.once('exit', (code) => refuse(`it ended with ${code}`))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const url = READY.exec(printed)?.[1]
      if (!url) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
  await ended
  clearTimeout(late)
}
