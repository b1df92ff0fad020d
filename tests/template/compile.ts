import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseDocument } from 'yaml'
import type { Template } from '#tools/packaged/template.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OSLS = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')

/**
 * The template of a stage as osls compiles it, with other parameters (`tracing=true`) or another text of serverless.yml. The same
 * as a deployment's but for the artefacts: nothing is bundled, which is what makes `serverless package` slow.
 */
export async function compile(stage: string, params: string[] = [], change = (yml: string): string => yml): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'masthead-compile-'))
  try {
    for (const name of ['tools', 'resources', 'node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name))
    writeFileSync(join(folder, 'serverless.yml'), unbundled(change(readFileSync(join(ROOT, 'serverless.yml'), 'utf8'))))
    await run(folder, ['package', '--stage', stage, ...params.map((param) => `--param=${param}`)])
    return JSON.parse(readFileSync(join(folder, '.serverless/cloudformation-template-update-stack.json'), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function unbundled(yml: string): string {
  const document = parseDocument(yml)
  document.set('plugins', ['./tools/roles.ts'])
  document.set('package', { artifact: 'package.json' })
  return document.toString()
}

async function run(cwd: string, args: string[]): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, SLS_NOTIFICATIONS_MODE: 'off' }
  const child = spawn(process.execPath, [OSLS, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [[code], ...said] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  if (code !== 0) throw new Error(`serverless ${args.join(' ')} failed:\n${said.join('')}`)
}
