import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { inject } from 'vitest'

/** One kind of call that a function made: its IAM action, its partition without ids, and the attributes that an update names. */
export type TableCall = { function: string; action: string; partition: string; attributes?: string[] }

// biome-ignore lint/suspicious/noExplicitAny: the SDK's inputs, of which only keys and names are read
type Input = Record<string, any>

const underCall = new AsyncLocalStorage<string>()
const seen = new Set<string>()

/** Runs a function of serverless.yml: what it asks of the table meanwhile is recorded as its own. The bench runs some unrecorded. */
export const recorded = <T>(name: string, run: () => Promise<T>): Promise<T> =>
  process.env.VITEST === undefined ? run() : underCall.run(name, run)

/** `TENANT#7#BLOG#9` is `TENANT#*#BLOG#*`: what is not a word of capitals is an id. */
const shapeOf = (pk: unknown): string =>
  String(pk)
    .split('#')
    .map((part) => (/^[A-Z]+$/.test(part) ? part : '*'))
    .join('#')

const keyOf = ({ Key, Item, ExpressionAttributeValues }: Input): Input =>
  Key ?? Item ?? { pk: ExpressionAttributeValues?.[':pk'] }

const single = (action: string, input: Input): Omit<TableCall, 'function'> => ({
  action,
  partition: shapeOf(keyOf(input).pk),
  ...(action === 'UpdateItem' && {
    attributes: [...new Set(['pk', 'sk', ...Object.values(input.ExpressionAttributeNames ?? {})])].sort() as string[],
  }),
})

const PARTS: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
}

/** IAM checks a transaction by its parts, and a batch by its own name for each of its items. */
function callsOf(command: string, input: Input): Omit<TableCall, 'function'>[] {
  if (command === 'TransactWriteCommand') return input.TransactItems.flatMap(transactCalls)
  if (command !== 'BatchWriteCommand')
    return [single(`${command.replace(/Command$/, '')}${command === 'QueryCommand' ? '' : 'Item'}`, input)]
  const requests: Input[] = Object.values(input.RequestItems).flat() as Input[]
  return requests.map(({ PutRequest, DeleteRequest }) => single('BatchWriteItem', PutRequest ?? DeleteRequest))
}

const transactCalls = (item: Input) => Object.entries(item).map(([part, input]) => single(PARTS[part] ?? part, input))

function record(call: TableCall): void {
  const line = JSON.stringify(call)
  if (seen.has(line)) return
  seen.add(line)
  appendFileSync(join(inject('records'), `${process.pid}.ndjson`), `${line}\n`)
}

const send = DynamoDBDocumentClient.prototype.send as (this: unknown, command: { input: Input }, ...rest: unknown[]) => unknown

/** Every client of the process is listened to; only calls under `recorded` are anybody's. */
DynamoDBDocumentClient.prototype.send = function (this: unknown, command: { input: Input }, ...rest: unknown[]) {
  const name = underCall.getStore()
  if (name !== undefined) for (const call of callsOf(command.constructor.name, command.input)) record({ function: name, ...call })
  return send.call(this, command, ...rest)
} as typeof DynamoDBDocumentClient.prototype.send
