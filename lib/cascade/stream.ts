import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import { describeError, log } from '#lib/log.ts'
import { ANCHOR } from '#lib/table/keys.ts'
import { purge } from './purge.ts'

/** What a purge leaves itself to postpone the rest in. */
const RESERVE_MS = 5_000

/** The stream's filter says the same, but local emulations ignore it. */
const isAnchorEvent = ({ eventName, dynamodb }: DynamoDBRecord): boolean =>
  eventName !== 'INSERT' && dynamodb?.Keys?.sk?.S === ANCHOR

const partitionOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.Keys?.pk?.S ?? ''

/**
 * Purges under every anchor of a batch, side by side. Of a failure it reports the first event: Lambda then sends that one and what
 * follows again. Out of time is none: a large purge never blocks the stream for other tenants.
 */
export async function purgeAll(records: DynamoDBRecord[], remainingMs: () => number): Promise<DynamoDBBatchResponse> {
  const isLate = () => remainingMs() < RESERVE_MS
  // Several events of one anchor are one piece of work, and the first of them stands for it.
  const events = Map.groupBy(records.filter(isAnchorEvent), partitionOf)
  const purged = await Promise.all([...events].map(([pk, [first]]) => purgeOne(pk, first, isLate)))
  const [failed] = purged.filter((sequenceNumber) => sequenceNumber !== undefined)
  return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] }
}

async function purgeOne(pk: string, event: DynamoDBRecord | undefined, isLate: () => boolean): Promise<string | undefined> {
  try {
    await purge(pk, isLate)
    return undefined
  } catch (error) {
    log('error', 'A purge failed and will be tried again', { pk, error: describeError(error) })
    return event?.dynamodb?.SequenceNumber ?? ''
  }
}
