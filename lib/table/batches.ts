import { BatchGetCommand, type BatchGetCommandInput, BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { tableConfig } from '#lib/config.ts'
import { unavailable } from '#lib/errors.ts'
import { backOff } from './backoff.ts'
import { documentClient } from './client.ts'
import { attributesOf, getItem, type Item } from './items.ts'
import { type Key, nameOf } from './keys.ts'
import { send } from './send.ts'

/** What BatchWriteItem takes at once. */
const BATCH_SIZE = 25
const BATCH_ATTEMPTS = 8
const BATCH_DELAY_MS = 20

/** Reads up to 100 items in one request, each strongly consistent, in the order of their keys. They cost what a GetItem of each would. */
export async function getItems(keys: Key[]): Promise<(Item | undefined)[]> {
  if (keys.length <= 1) return Promise.all(keys.map((key) => getItem(key)))
  const { TABLE_NAME } = tableConfig()
  const found = new Map<string, Item>()
  const all: BatchGetCommandInput['RequestItems'] = { [TABLE_NAME]: { Keys: keys, ConsistentRead: true } }
  await untilDone(all, async (RequestItems) => {
    const { Responses, UnprocessedKeys } = await documentClient().send(new BatchGetCommand({ RequestItems }))
    for (const item of Responses?.[TABLE_NAME] ?? []) found.set(nameOf(item as Key), attributesOf(item))
    return UnprocessedKeys
  })
  return keys.map((key) => found.get(nameOf(key)))
}

/** Deletes items of one partition that may be gone already, a few requests for many. */
export async function deleteItems(pk: string, sortKeys: string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(sortKeys.length / BATCH_SIZE) }, (_, n) =>
    sortKeys.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE).map((sk) => ({ DeleteRequest: { Key: { pk, sk } } })),
  )
  await Promise.all(batches.map(writeBatch))
}

function writeBatch(requests: { DeleteRequest: { Key: Key } }[]): Promise<void> {
  const all: BatchWriteCommandInput['RequestItems'] = { [tableConfig().TABLE_NAME]: requests }
  return untilDone(all, async (RequestItems) => {
    const { UnprocessedItems } = await documentClient().send(new BatchWriteCommand({ RequestItems }))
    return UnprocessedItems
  })
}

/** Asks for a batch, and again for what is left of it (bounded, with jitter). Throws a 503 where the table takes it too slowly. */
export async function untilDone<T extends object>(batch: T, ask: (left: T) => Promise<T | undefined>): Promise<void> {
  let left = batch
  for (let attempt = 0; attempt < BATCH_ATTEMPTS; attempt++) {
    if (attempt > 0) await backOff(attempt, BATCH_DELAY_MS)
    const rest = await send(() => ask(left))
    if (rest === undefined || Object.keys(rest).length === 0) return
    left = rest
  }
  throw unavailable(new Error('The table leaves a batch undone'))
}
