import { randomUUID } from 'node:crypto'
import { watch } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Context } from 'aws-lambda'
import type { Installation, Worker } from '#tools/local/installation.ts'
import { createRouter } from '#tools/local/router.ts'
import { routes } from '#tools/routes.ts'
import { service } from '#tools/service.ts'

type Handler = (event: unknown, context: Partial<Context>) => Promise<unknown>

const root = new URL('../../', import.meta.url)
const sources = ['functions/', 'lib/'].map((folder) => new URL(folder, root))
const { service: serviceName, provider, functions } = service()

let generation = 0

/** The functions of serverless.yml in this process, from their sources: a change counts from the next request on. */
export async function fromSources(): Promise<Installation> {
  reloadOnChange()
  await loadAll()
  return { route: createRouter(routes(), 'notFound'), workers: workers(), invoke, stop: async () => {} }
}

const workers = (): Worker[] =>
  Object.entries(functions).flatMap(([name, { events }]) => events.flatMap(({ stream }) => (stream ? { name, stream } : [])))

async function invoke(name: string, event: unknown): Promise<unknown> {
  const handler = await load(name)
  return handler(event, contextOf(name))
}

async function load(name: string): Promise<Handler> {
  const [file, exported = ''] = functions[name]?.handler.split('.') ?? []
  const module = await import(new URL(`${file}.ts`, root).href)
  return module[exported]
}

function contextOf(name: string): Partial<Context> {
  const end = Date.now() + (functions[name]?.timeout ?? provider.timeout) * 1000
  return {
    functionName: `${serviceName}-local-${name}`,
    awsRequestId: randomUUID(),
    memoryLimitInMB: String(functions[name]?.memorySize ?? provider.memorySize),
    getRemainingTimeInMillis: () => Math.max(0, end - Date.now()),
  }
}

/** Loads every function, so that the first request does not wait for it; what cannot be loaded is said, and answers with a 500. */
async function loadAll(): Promise<void> {
  const loads = await Promise.allSettled(Object.keys(functions).map(load))
  for (const result of loads) if (result.status === 'rejected') console.error(result.reason)
}

/**
 * Lets a change under functions/ or lib/ count from the next request on: each change starts a new generation, and a module
 * is loaded once per generation because its address carries the number.
 */
function reloadOnChange(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      return generation > 0 && isSource(resolved.url) ? { ...resolved, url: `${resolved.url}?${generation}` } : resolved
    },
  })
  for (const folder of sources) watch(folder, { recursive: true }, () => void generation++).unref()
}

const isSource = (url: string) => sources.some(({ href }) => url.startsWith(href))
