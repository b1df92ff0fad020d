import { setTimeout as wait } from 'node:timers/promises'
import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams'
import type { Checkpoint } from '#tools/local/checkpoint.ts'

const IDLE_MS = 100

interface Shard {
  StreamArn: string | undefined
  ShardId: string | undefined
}

interface ReadOptions {
  client: DynamoDBStreamsClient
  checkpoint: Checkpoint
  signal: AbortSignal
  deliver(records: StreamRecord[]): Promise<void>
}

/** Reads one shard from where the last run stopped until it closes or the signal says so. */
export async function readShard(shard: Shard, { client, checkpoint, signal, deliver }: ReadOptions): Promise<void> {
  const key = `${shard.StreamArn} ${shard.ShardId}`
  for (let iterator = await iteratorAt(client, shard, checkpoint.get(key)); iterator && !signal.aborted; ) {
    const { Records = [], NextShardIterator } = await client.send(new GetRecordsCommand({ ShardIterator: iterator }))
    await deliver(Records)
    const read = Records.at(-1)?.dynamodb?.SequenceNumber
    if (read) checkpoint.set(key, read)
    else await wait(IDLE_MS, undefined, { signal }).catch(() => {})
    iterator = NextShardIterator
  }
}

async function iteratorAt(client: DynamoDBStreamsClient, shard: Shard, after?: string): Promise<string | undefined> {
  const position = after
    ? ({ ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: after } as const)
    : ({ ShardIteratorType: 'TRIM_HORIZON' } as const)
  try {
    return (await client.send(new GetShardIteratorCommand({ ...shard, ...position }))).ShardIterator
  } catch (error) {
    if (after && error instanceof TrimmedDataAccessException) return iteratorAt(client, shard)
    throw error
  }
}
