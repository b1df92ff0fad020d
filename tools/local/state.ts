import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Problem } from '#tools/problem.ts'

const folder = new URL('../../.masthead/', import.meta.url)
const file = (name: string) => fileURLToPath(new URL(name, folder))

/** What one start leaves for the next one. */
export interface State {
  jwtSecret: string
  adminEmail: string
  /** only a generated one: what the environment gives is not written down */
  adminPassword?: string
}

export const stateFiles = { data: file('data.db'), checkpoint: file('stream.json'), state: file('state.json') }

export function resetState(): void {
  rmSync(folder, { recursive: true, force: true })
}

/** What the last start left, or new secrets. */
export function readState(): State {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    return JSON.parse(readFileSync(stateFiles.state, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return newState()
    throw new Problem(`${stateFiles.state} cannot be read: \`npm start -- --reset\` begins anew.`, { cause: error })
  }
}

export const newState = (): State => ({ jwtSecret: randomBytes(32).toString('hex'), adminEmail: 'admin@example.com' })

export function writeState(state: State): void {
  writeFileSync(stateFiles.state, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 })
}
