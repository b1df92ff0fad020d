import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type RuntimeApi, startRuntimeApi } from '#tools/packaged/runtime-api.ts'
import type { PackagedFunction } from '#tools/packaged/template.ts'
import { unzip } from '#tools/packaged/unzip.ts'
import { LOCAL } from '#tools/table.ts'

const RIC = fileURLToPath(new URL('../../.build/ric/node_modules/aws-lambda-ric/', import.meta.url))
const STAND_IN = fileURLToPath(new URL('bootstrap.ts', import.meta.url))

/** Whether AWS's own runtime client is built here; it is not on macOS. */
export const hasRealRuntime = existsSync(join(RIC, 'rapid-client.node'))

/** A function in a process of its own, from its zip: begun with its first event, begun anew after its time has run out. */
export interface Sandbox {
  invoke(event: unknown): Promise<unknown>
  stop(): Promise<void>
}

type Running = { child: ChildProcess; api: RuntimeApi; folder: string }

/** The environment is all that the process gets, besides what Lambda itself sets. */
export function createSandbox(fn: PackagedFunction, environment: Record<string, string>): Sandbox {
  const timeoutMs = fn.timeout * 1000
  let running: Promise<Running> | undefined

  async function stop(): Promise<void> {
    const ending = running
    running = undefined
    if (ending) end(await ending)
  }

  function start(): Promise<Running> {
    const mine = begin(fn, environment, async () => {
      // After a timeout, another process may serve already.
      if (running === mine) await stop()
    })
    return mine
  }

  return {
    async invoke(event) {
      running ??= start()
      const { api } = await running
      await api.initialised
      const late = new AbortController()
      const timeout = wait(timeoutMs, undefined, { signal: late.signal }).then(() => {
        void stop()
        throw new Error(`${fn.name} timed out after ${fn.timeout} s`)
      })
      return Promise.race([api.invoke(event, timeoutMs), timeout]).finally(() => late.abort())
    },
    stop,
  }
}

async function begin(fn: PackagedFunction, environment: Record<string, string>, onExit: () => Promise<void>): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), `masthead-${fn.name}-`))
  unzip(fn.zip, folder)
  const api = await startRuntimeApi(fn.name)
  const child = launch(fn, folder, { ...environment, AWS_LAMBDA_RUNTIME_API: api.address })
  void once(child, 'exit').then(([code, signal]) => {
    api.fail(new Error(`The process of ${fn.name} ended with ${code ?? signal}`))
    void onExit()
  })
  return { child, api, folder }
}

function end({ child, api, folder }: Running): void {
  child.kill('SIGKILL')
  api.close()
  rmSync(folder, { recursive: true, force: true })
}

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html, and Lambda's own flags of Node. */
export function launch(
  fn: Pick<PackagedFunction, 'name' | 'handler' | 'memorySize'>,
  folder: string,
  environment: Record<string, string>,
): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    AWS_REGION: LOCAL.region,
    AWS_DEFAULT_REGION: LOCAL.region,
    AWS_ACCESS_KEY_ID: LOCAL.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: 'local',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: fn.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(fn.memorySize),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${fn.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_LEVEL: 'INFO',
    LAMBDA_TASK_ROOT: folder,
    LAMBDA_RUNTIME_DIR: hasRealRuntime ? RIC : '',
    _HANDLER: fn.handler,
    ...environment,
  }
  const client = hasRealRuntime ? [join(RIC, 'index.mjs'), fn.handler] : [STAND_IN]
  const child = spawn(process.execPath, [...FLAGS, ...client], { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] })
  children.add(child.once('exit', () => children.delete(child)))
  return child
}

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

const FLAGS = ['--expose-gc', '--no-experimental-require-module', '--no-experimental-detect-module']
