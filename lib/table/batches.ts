import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { tableConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'
import { documentClient } from './client.ts'
import type { Key } from './keys.ts'
import { send } from './send.ts'

/** What BatchWriteItem takes at once. */
const BATCH_SIZE = 25
const BATCH_ATTEMPTS = 8
const BATCH_DELAY_MS = 20

/** Deletes items of one partition that may be gone already, a few requests for many. Throws a 503 where the table takes them too slowly. */
export async function deleteItems(pk: string, sortKeys: string[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(sortKeys.length / BATCH_SIZE) }, (_, n) =>
    sortKeys.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE).map((sk) => ({ DeleteRequest: { Key: { pk, sk } } })),
  )
  await Promise.all(batches.map(writeBatch))
}

async function writeBatch(requests: { DeleteRequest: { Key: Key } }[]): Promise<void> {
  let left: BatchWriteCommandInput['RequestItems'] = { [tableConfig().TABLE_NAME]: requests }
  for (let attempt = 0; attempt < BATCH_ATTEMPTS; attempt++) {
    const { UnprocessedItems = {} } = await send(() => documentClient().send(new BatchWriteCommand({ RequestItems: left })))
    if (Object.keys(UnprocessedItems).length === 0) return
    left = UnprocessedItems
    await sleep(Math.random() * BATCH_DELAY_MS * 2 ** attempt)
  }
  throw failure('Unavailable', { retryAfterSeconds: 1 })
}
