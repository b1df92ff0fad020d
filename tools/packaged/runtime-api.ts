import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** An event on its way through a function, and who waits for the answer. */
interface Invocation {
  id: string
  event: string
  /** Unix milliseconds */
  deadline: number
  resolve(result: unknown): void
  reject(error: Error): void
}

export interface RuntimeApi {
  /** as AWS_LAMBDA_RUNTIME_API wants it */
  address: string
  /** Resolves when the runtime first asks for an event, which is the end of INIT; rejects when it reports that it cannot. */
  initialised: Promise<void>
  /** Hands over an event when the runtime asks for one; `timeoutMs` counts from now on. */
  invoke(event: unknown, timeoutMs: number): Promise<unknown>
  /** Rejects everything that waits. */
  fail(error: Error): void
  close(): void
}

/**
 * Lambda's Runtime API for one process on a loopback port: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 * One event at a time, in the order of arrival.
 */
export async function startRuntimeApi(functionName: string): Promise<RuntimeApi> {
  const waiting: Invocation[] = []
  const running = new Map<string, Invocation>()
  const init = Promise.withResolvers<void>()
  init.promise.catch(() => {}) // whoever wants to know awaits it
  let idle: ServerResponse | undefined

  function handOver(): void {
    if (!idle || waiting.length === 0) return
    const response = idle
    const invocation = waiting.shift() as Invocation
    idle = undefined
    running.set(invocation.id, invocation)
    response.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': invocation.id,
      'lambda-runtime-deadline-ms': String(invocation.deadline),
      'lambda-runtime-invoked-function-arn': `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
      'lambda-runtime-trace-id': `Root=1-00000000-000000000000000000000000;Sampled=0`,
    })
    response.end(invocation.event)
  }

  function fail(error: Error): void {
    init.reject(error)
    for (const invocation of [...waiting.splice(0), ...running.values()]) invocation.reject(error)
    running.clear()
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, , , what, id = '', outcome] = (request.url ?? '').split('/') // /2018-06-01/runtime/invocation/{id}/response
    if (what === 'invocation' && id === 'next') {
      init.resolve()
      idle = response
      return handOver()
    }
    const body = await bodyOf(request)
    if (what === 'init') fail(new Error(describe(body)))
    const invocation = running.get(id)
    running.delete(id)
    if (outcome === 'response') invocation?.resolve(body)
    else invocation?.reject(new Error(describe(body)))
    response.writeHead(202).end()
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    initialised: init.promise,
    invoke(event, timeoutMs) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      waiting.push({ id: randomUUID(), event: JSON.stringify(event), deadline: Date.now() + timeoutMs, resolve, reject })
      handOver()
      return promise
    },
    fail,
    close() {
      server.close().closeAllConnections()
    },
  }
}

const bodyOf = (request: IncomingMessage): Promise<unknown> => json(request).catch(() => undefined)

function describe(body: unknown): string {
  const { errorType = 'Error', errorMessage = '', trace = [] } = Object(body)
  return [`${errorType}: ${errorMessage}`, ...trace].join('\n')
}
