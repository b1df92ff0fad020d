import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { Address } from '#tools/local/address.ts'
import { splitUrl, toEvent } from '#tools/local/event.ts'
import type { Installation, Invoke } from '#tools/local/installation.ts'
import type { Match } from '#tools/local/router.ts'

const MAX_BYTES = 10 * 1024 * 1024
const DRAIN_MS = 1000

type Result = APIGatewayProxyStructuredResultV2

type Backend = Pick<Installation, 'route' | 'invoke'>

/** Stands in for API Gateway's HTTP API: payload format 2.0, its limits. Gives the way to stop it. */
export async function startGateway({ hosts, port }: Address, backend: Backend): Promise<() => Promise<void>> {
  const servers = hosts.map((host) =>
    createServer((request, response) => void answer(backend, request, response)).listen(port, host),
  )
  await Promise.all(servers.map((server) => once(server, 'listening')))
  return async () => {
    await Promise.all(servers.map(stop))
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server.close(), 'close')
  server.closeIdleConnections()
  await Promise.race([closed, wait(DRAIN_MS)])
  server.closeAllConnections()
}

async function answer({ route, invoke }: Backend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  send(response, await run(invoke, request, route(request.method ?? '', splitUrl(request).path)))
}

async function run(invoke: Invoke, request: IncomingMessage, match: Match): Promise<Result> {
  try {
    const body = await readBody(request)
    if (!body) return refusal(413, 'Request Entity Too Large')
    return (await invoke(match.name, toEvent(request, body, match))) as Result
  } catch (error) {
    if (request.complete) console.error(`${match.name} failed:`, error instanceof Error ? error.stack : error)
    return refusal(500, 'Internal Server Error')
  }
}

const refusal = (statusCode: number, message: string): Result => ({
  statusCode,
  headers: { 'content-type': 'application/json', connection: 'close' },
  body: JSON.stringify({ message }),
})

/** The whole body, or undefined when it is larger than API Gateway takes. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function send(
  response: ServerResponse,
  { statusCode = 200, headers = {}, cookies = [], body = '', isBase64Encoded }: Result,
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value))
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  response.statusCode = statusCode
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}
