import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, globSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Problem } from '#tools/problem.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BUILD = join(ROOT, '.build')
const LOCK = join(BUILD, 'packaging')
/** serverless-esbuild leaves a folder per function behind, 8 MB each time. */
const TEMPORARY = join(BUILD, 'temporary')
const WITHIN_MS = 180_000

/** What an artefact is made of. */
const SOURCES = [
  'functions/**/*.ts',
  'lib/**/*.ts',
  'tools/bundle*/**',
  'tools/bundle.ts',
  'tools/roles.ts',
  '*.yml',
  'resources/*.yml',
  'package-lock.json',
]

/** Where `serverless package` has left the compiled template and one zip per function. */
export const PACKAGED = join(BUILD, 'packaged')
const STAMP = join(PACKAGED, 'made-of')

/**
 * Runs `serverless package` unless its last result was made of what is here now. Of the shell's environment it sees nothing: what
 * is packaged is the same everywhere. One at a time on a machine.
 */
export async function ensurePackaged(): Promise<void> {
  mkdirSync(BUILD, { recursive: true })
  if (readStamp() === fingerprint()) return
  await lock()
  try {
    if (readStamp() !== fingerprint()) await packageAll()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

async function packageAll(): Promise<void> {
  const made = fingerprint()
  for (const folder of [PACKAGED, TEMPORARY]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(TEMPORARY)
  const bin = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: TEMPORARY, SLS_NOTIFICATIONS_MODE: 'off' }
  const child = spawn(process.execPath, [bin, 'package', '--package', PACKAGED], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], ...said] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  if (code !== 0) throw new Problem(`serverless package failed:\n${said.join('')}`)
  rmSync(TEMPORARY, { recursive: true })
  writeFileSync(STAMP, made)
}

const readStamp = (): string | undefined => (existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : undefined)

function fingerprint(): string {
  const files = globSync(SOURCES, { cwd: ROOT }).sort()
  const hash = createHash('sha256')
  for (const file of files.filter((name) => statSync(join(ROOT, name)).isFile()))
    hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

/** Waits for whoever is packaging just now; a lock whose owner is gone counts for nothing. */
async function lock(): Promise<void> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end; await wait(200)) {
    if (take()) return
    if (!isRunning(Number(readOwner()))) rmSync(LOCK, { force: true })
  }
  throw new Problem(`${LOCK} says that somebody is packaging: delete it if nobody is.`)
}

function take(): boolean {
  // A link is there with its whole text, or not at all.
  const mine = `${LOCK}.${process.pid}`
  try {
    writeFileSync(mine, String(process.pid))
    linkSync(mine, LOCK)
    return true
  } catch {
    return false
  } finally {
    rmSync(mine, { force: true })
  }
}

const readOwner = (): string => (existsSync(LOCK) ? readFileSync(LOCK, 'utf8') : '')

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}
