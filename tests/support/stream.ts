import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import type { Context, DynamoDBRecord } from 'aws-lambda'
import { handler } from '#functions/workers/cascade.ts'
import { LOCAL } from '#tools/table.ts'
import { recorded } from './record.ts'

const QUIET_ROUNDS = 2
const MAX_ROUNDS = 2_000

export type Worker = (records: DynamoDBRecord[]) => Promise<unknown>

/** The worker with time enough. */
export const cascade: Worker = (records) =>
  recorded('cascade', () => handler({ Records: records }, { getRemainingTimeInMillis: () => 60_000 } as unknown as Context))

/** The one shard of this test file's stream; each call of `next` gives some of its events, from its beginning on, or none for now. */
export async function openShard() {
  const client = new DynamoDBStreamsClient({ ...LOCAL, endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB as string })
  const { Streams: [stream] = [] } = await client.send(new ListStreamsCommand({ TableName: process.env.TABLE_NAME }))
  const StreamArn = stream?.StreamArn
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }))
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId
  const first = await client.send(new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }))
  let iterator = first.ShardIterator

  const next = async (): Promise<DynamoDBRecord[]> => {
    const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: 100 }))
    iterator = NextShardIterator
    return Records as unknown as DynamoDBRecord[]
  }
  return { streamArn: StreamArn, shardId: ShardId, next }
}

/** This test file's stream, from its beginning: each call of the result feeds the worker until nothing new comes. */
export async function openStream() {
  const { next } = await openShard()
  return async function drain(worker: Worker = cascade): Promise<void> {
    let quiet = 0
    for (let round = 0; quiet < QUIET_ROUNDS && round < MAX_ROUNDS; round++) {
      const records = await next()
      quiet = records.length === 0 ? quiet + 1 : 0
      if (records.length > 0) await worker(records)
    }
  }
}
