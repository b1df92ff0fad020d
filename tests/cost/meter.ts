import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

// biome-ignore lint/suspicious/noExplicitAny: the SDK's inputs and outputs, of which only a few fields are read
type Fields = Record<string, any>

/** One request to DynamoDB, with its milliseconds on one clock. */
interface Request {
  operation: string
  input: Fields
  begun: number
  ended: number
  readUnits: number
  writeUnits: number
}

/** What a piece of work asks of DynamoDB. */
export interface Bill {
  /** requests */
  calls: number
  /** how many of them had to wait for one another: round trips */
  steps: number
  /** read capacity units, strongly consistent */
  rcu: number
  /** write capacity units */
  wcu: number
}

const underMeter = new AsyncLocalStorage<Request[]>()

type Send = (this: unknown, command: { input: Fields }, ...rest: unknown[]) => Promise<Fields>

const send = DynamoDBDocumentClient.prototype.send as Send

/** Every client of the process is metered; only work under `metered` has a bill. */
DynamoDBDocumentClient.prototype.send = async function (this: unknown, command: { input: Fields }, ...rest: unknown[]) {
  const requests = underMeter.getStore()
  if (!requests) return send.call(this, command, ...rest)
  const operation = command.constructor.name.replace(/Command$/, '')
  const request: Request = {
    operation,
    input: command.input,
    begun: performance.now(),
    ended: Number.POSITIVE_INFINITY,
    readUnits: 0,
    writeUnits: 0,
  }
  requests.push(request)
  command.input.ReturnConsumedCapacity = 'TOTAL'
  try {
    const output = await send.call(this, command, ...rest)
    Object.assign(request, unitsOf(operation, output.ConsumedCapacity))
    if (isCount(command.input)) await sleep(HOLD_MS)
    return output
  } finally {
    request.ended = performance.now()
  }
} as typeof DynamoDBDocumentClient.prototype.send

/** Longer than a hash of the tests' cost. */
const HOLD_MS = 40

/** A tenant's count of writes, which nothing waits for: it is held back, so that what runs beside it is seen to, hashes too. */
const isCount = ({ Key }: Fields): boolean => String(Key?.pk).startsWith('WRITES#')

const READS = ['Get', 'BatchGet', 'Query']

function unitsOf(operation: string, consumed: Fields | Fields[] = []): Pick<Request, 'readUnits' | 'writeUnits'> {
  const units = [consumed].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0)
  return READS.includes(operation) ? { readUnits: units, writeUnits: 0 } : { readUnits: 0, writeUnits: units }
}

/** Does some work and counts what it asked of DynamoDB. Throws where it scans, or filters what it has paid to read. */
export async function metered<T>(work: () => Promise<T>): Promise<{ result: T; bill: Bill }> {
  const requests: Request[] = []
  const result = await underMeter.run(requests, work)
  for (const { operation, input } of requests)
    if (operation === 'Scan' || input.FilterExpression)
      throw new Error(`${operation} reads more than it gives: ${JSON.stringify(input)}`)
  return { result, bill: billOf(requests) }
}

const billOf = (requests: Request[]): Bill => ({
  calls: requests.length,
  steps: Math.max(0, ...requests.map((request) => depthOf(request, requests))),
  rcu: sum(requests.map(({ readUnits }) => readUnits)),
  wcu: sum(requests.map(({ writeUnits }) => writeUnits)),
})

/** A request stands behind those that had ended when it began. */
function depthOf(request: Request, all: Request[]): number {
  const before = all.filter(({ ended }) => ended <= request.begun)
  return 1 + Math.max(0, ...before.map((each) => depthOf(each, all)))
}

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
