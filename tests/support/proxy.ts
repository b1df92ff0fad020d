import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a proxy does to one request instead of passing it on and back. */
export type Fault =
  | { kind: 'answer'; status: number; body: object | string }
  | { kind: 'delay'; ms: number }
  | { kind: 'cut-before' }
  | { kind: 'cut-after' }
  | { kind: 'unprocessed' }

/** Decides on a request by its operation (`PutItem`); undefined passes it on. */
export type Plan = (operation: string, body: string) => Fault | undefined

const ERROR = 'com.amazonaws.dynamodb.v20120810#'

/** The answers that DynamoDB gives on a bad day. */
export const FAULTS = {
  throttled: {
    kind: 'answer',
    status: 400,
    body: { __type: `${ERROR}ProvisionedThroughputExceededException`, message: 'slow down' },
  },
  internal: { kind: 'answer', status: 500, body: { __type: `${ERROR}InternalServerError`, message: 'oh' } },
  gateway: { kind: 'answer', status: 502, body: '<html>Bad gateway</html>' },
  conflict: { kind: 'answer', status: 400, body: { __type: `${ERROR}TransactionConflictException`, message: 'conflict' } },
  inProgress: { kind: 'answer', status: 400, body: { __type: `${ERROR}TransactionInProgressException`, message: 'busy' } },
  cutBefore: { kind: 'cut-before' },
  cutAfter: { kind: 'cut-after' },
  unprocessed: { kind: 'unprocessed' },
} as const satisfies Record<string, Fault>

/** A transaction that another one got in the way of, on its `n`th item. */
export const conflictOn = (body: string, n = 0): Fault => {
  const items = (JSON.parse(body).TransactItems as unknown[]).length
  const CancellationReasons = Array.from({ length: items }, (_, index) => ({
    Code: index === n ? 'TransactionConflict' : 'None',
  }))
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons`
  return { kind: 'answer', status: 400, body: { __type: `${ERROR}TransactionCanceledException`, message, CancellationReasons } }
}

/** A proxy between this test file's functions and its engine that injects what a plan says. Loopback only. */
export async function startProxy() {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB as string
  const state: { plan: Plan; injected: number } = { plan: () => undefined, injected: 0 }
  const server = createServer(async (request, response) => {
    const body = await readAll(request)
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    const fault = state.plan(operation, body)
    if (fault) state.injected++
    if (fault?.kind === 'answer') return answer(response, fault.status, fault.body)
    if (fault?.kind === 'cut-before') return void request.socket.destroy()
    if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms))
    if (fault?.kind === 'unprocessed') return answer(response, 200, { UnprocessedItems: await halve(endpoint, request, body) })
    const real = await forward(endpoint, request, body)
    if (fault?.kind === 'cut-after') return void request.socket.destroy()
    answer(response, real.status, real.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.close()
    server.closeAllConnections()
  }
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { state, stop }
}

async function readAll(stream: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function answer(response: ServerResponse, status: number, body: object | string): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function forward(endpoint: string, { headers, method = 'POST' }: IncomingMessage, body: string) {
  const outgoing = send(endpoint, { method, headers: { ...headers, 'content-length': Buffer.byteLength(body) } })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: incoming.statusCode ?? 500, body: await readAll(incoming) }
}

type Batch = { RequestItems: Record<string, unknown[]> }

/** Lets the first half of a batch through, of a single request nothing; gives what was not processed. */
async function halve(endpoint: string, request: IncomingMessage, body: string): Promise<Batch['RequestItems']> {
  const [[table, requests] = ['', []]] = Object.entries((JSON.parse(body) as Batch).RequestItems)
  const half = Math.floor(requests.length / 2)
  if (half > 0) await forward(endpoint, request, JSON.stringify({ RequestItems: { [table]: requests.slice(0, half) } }))
  return { [table]: requests.slice(half) }
}
