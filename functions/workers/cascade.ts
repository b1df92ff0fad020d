import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { purgeAll } from '#lib/cascade/stream.ts'

/** Finishes deletes: called with the stream's events of anchors, a few at a time. */
export const handler = (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> =>
  purgeAll(event.Records, () => context.getRemainingTimeInMillis())
