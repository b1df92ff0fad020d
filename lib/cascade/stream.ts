import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import { describeError, log } from '#lib/log.ts'
import { ANCHOR } from '#lib/table/keys.ts'
import { purge } from './purge.ts'

/** What a purge leaves itself to postpone the rest in. */
const RESERVE_MS = 5_000

/** The stream's filter says the same, but local emulations ignore it. */
const isAnchorEvent = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName !== 'INSERT' && dynamodb?.Keys?.sk?.S === ANCHOR

/**
 * Purges under every anchor of a batch. Of a failure it reports the first event: Lambda then sends that one and what follows again.
 * Out of time is none: a large purge never blocks the stream for other tenants.
 */
export async function purgeAll(records: DynamoDBRecord[], remainingMs: () => number): Promise<DynamoDBBatchResponse> {
  const isLate = () => remainingMs() < RESERVE_MS
  for (const record of records.filter(isAnchorEvent)) {
    const failed = await purgeOne(record, isLate)
    if (failed !== undefined) return { batchItemFailures: [{ itemIdentifier: failed }] }
  }
  return { batchItemFailures: [] }
}

async function purgeOne({ dynamodb }: DynamoDBRecord, isLate: () => boolean): Promise<string | undefined> {
  const pk = dynamodb?.Keys?.pk?.S ?? ''
  try {
    await purge(pk, isLate)
    return undefined
  } catch (error) {
    log('error', 'A purge failed and will be tried again', { pk, error: describeError(error) })
    return dynamodb?.SequenceNumber ?? ''
  }
}
