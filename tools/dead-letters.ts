import { setTimeout as wait } from 'node:timers/promises'
import {
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams'
import { DeleteMessageCommand, GetQueueUrlCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { DynamoDBRecord } from 'aws-lambda'
import { purgeAll } from '#lib/cascade/stream.ts'
import { Problem } from '#tools/problem.ts'

/** Where a batch that Lambda gave up stands in the stream: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
type Batch = { shardId: string; startSequenceNumber: string; endSequenceNumber: string; streamArn: string }

/** A shard takes five reads a second. */
const EMPTY_PAGE_MS = 250
const MAX_EMPTY_PAGES = 240

/** A shard gives no more events, and not the last one of a letter. */
class Unended extends Error {}

type Outcome = 'done' | 'failed' | 'expired'

export type Redriven = Record<Outcome, number>

/** Takes up every letter of a queue, one after the other. What fails again stays in the queue; what is done, or too old, goes. */
export async function redrive(QueueName: string, region: string): Promise<Redriven> {
  const sqs = new SQSClient({ region })
  const streams = new DynamoDBStreamsClient({ region })
  const counted: Redriven = { done: 0, failed: 0, expired: 0 }
  try {
    const QueueUrl = await urlOf(sqs, QueueName)
    const seen = new Set<string | undefined>()
    for (let letter = await receive(sqs, QueueUrl); letter; letter = await receive(sqs, QueueUrl)) {
      const { MessageId, Body = '', ReceiptHandle } = letter
      // It failed so long ago that the queue shows it again.
      if (seen.has(MessageId)) continue
      seen.add(MessageId)
      const outcome = await takeUp(streams, JSON.parse(Body).DDBStreamBatchInfo)
      counted[outcome]++
      if (outcome !== 'failed') await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
    }
    return counted
  } finally {
    sqs.destroy()
    streams.destroy()
  }
}

async function urlOf(sqs: SQSClient, QueueName: string): Promise<string | undefined> {
  try {
    return (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl
  } catch (error) {
    throw new Problem(`The queue ${QueueName} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** A letter that was received is hidden for five minutes (resources/table.yml). */
async function receive(sqs: SQSClient, QueueUrl: string | undefined): Promise<Message | undefined> {
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 1, WaitTimeSeconds: 2 }))
  return Messages[0]
}

async function takeUp(streams: DynamoDBStreamsClient, batch: Batch): Promise<Outcome> {
  try {
    const records = await recordsOf(streams, batch)
    const { batchItemFailures } = await purgeAll(records, () => Number.POSITIVE_INFINITY)
    return batchItemFailures.length > 0 ? 'failed' : 'done'
  } catch (error) {
    if (error instanceof TrimmedDataAccessException || error instanceof ResourceNotFoundException) return 'expired'
    if (error instanceof ExpiredIteratorException || error instanceof Unended) return 'failed'
    throw error
  }
}

/** The batch's own events, which the stream keeps for 24 hours. A page may be empty before the last of them. */
async function recordsOf(streams: DynamoDBStreamsClient, batch: Batch): Promise<DynamoDBRecord[]> {
  const last = BigInt(batch.endSequenceNumber)
  const found: DynamoDBRecord[] = []
  let empty = 0
  for (let iterator = await iteratorAt(streams, batch); iterator; ) {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }))
    const records = Records as unknown as DynamoDBRecord[]
    found.push(...records.filter((record) => numberOf(record) <= last))
    iterator = records.some((record) => numberOf(record) >= last) ? undefined : NextShardIterator
    if (Records.length > 0) continue
    if (++empty > MAX_EMPTY_PAGES) throw new Unended()
    await wait(EMPTY_PAGE_MS)
  }
  return found
}

const numberOf = ({ dynamodb }: DynamoDBRecord): bigint => BigInt(dynamodb?.SequenceNumber ?? 0)

async function iteratorAt(streams: DynamoDBStreamsClient, batch: Batch): Promise<string | undefined> {
  const { streamArn: StreamArn, shardId: ShardId, startSequenceNumber: SequenceNumber } = batch
  const at = { StreamArn, ShardId, SequenceNumber, ShardIteratorType: 'AT_SEQUENCE_NUMBER' } as const
  return (await streams.send(new GetShardIteratorCommand(at))).ShardIterator
}
