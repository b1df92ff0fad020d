import { setTimeout as wait } from 'node:timers/promises'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ListStreamsCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import { openCheckpoint } from '#tools/local/checkpoint.ts'
import { invoke } from '#tools/local/lambda.ts'
import { readShard } from '#tools/local/shard.ts'
import { type StreamEvent, service } from '#tools/service.ts'
import { LOCAL } from '#tools/table.ts'

const RETRY_MS = 500

export interface StreamOptions {
  endpoint: string
  tableName: string
  /** remembers how far the stream was read; without one it is read from its beginning */
  checkpointFile?: string | undefined
}

interface Worker {
  name: string
  stream: StreamEvent
}

/** Reads the table's stream and calls the workers of serverless.yml with what their filters take. Gives the way to stop it. */
export async function startStreams({ endpoint, tableName, checkpointFile }: StreamOptions): Promise<() => Promise<void>> {
  const client = new DynamoDBStreamsClient({ ...LOCAL, endpoint })
  const checkpoint = openCheckpoint(checkpointFile)
  const stopping = new AbortController()
  const options = { client, checkpoint, signal: stopping.signal, deliver: deliverTo(workers()) }
  const reading = (await shardsOf(client, tableName)).map((shard) => readShard(shard, options))
  return async () => {
    stopping.abort()
    await Promise.all(reading)
    client.destroy()
  }
}

async function shardsOf(client: DynamoDBStreamsClient, TableName: string) {
  const { Streams } = await client.send(new ListStreamsCommand({ TableName }))
  const StreamArn = Streams?.[0]?.StreamArn
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn }))
  return (StreamDescription?.Shards ?? []).map(({ ShardId }) => ({ StreamArn, ShardId }))
}

const workers = (): Worker[] =>
  Object.entries(service().functions).flatMap(([name, { events }]) =>
    events.flatMap(({ stream }) => (stream ? { name, stream } : [])),
  )

const deliverTo = (all: Worker[]) => async (records: StreamRecord[]) => {
  for (const { name, stream } of all) {
    const wanted = records.filter((record) => stream.filterPatterns.some((pattern) => matches(pattern, record)))
    for (let start = 0; start < wanted.length; start += stream.batchSize)
      await deliver({ name, stream }, wanted.slice(start, start + stream.batchSize))
  }
}

/** AWS's event filters, as far as we use them: each leaf is a list of values, one of which must be the record's. */
function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.includes(value)
  const given = Object(value)
  return Object.entries(pattern as object).every(([key, part]) => matches(part, given[key]))
}

async function deliver({ name, stream }: Worker, records: StreamRecord[]): Promise<void> {
  for (let attempt = 0; attempt <= stream.maximumRetryAttempts; attempt++) {
    try {
      await invoke(name, { Records: records.map(toLambdaRecord) })
      return
    } catch (error) {
      console.error(`${name} failed:`, error instanceof Error ? error.stack : error)
      await wait(RETRY_MS)
    }
  }
}

/** The stream's API says when as a Date, Lambda in seconds. */
const toLambdaRecord = ({ dynamodb, ...record }: StreamRecord) => ({
  ...record,
  dynamodb: { ...dynamodb, ApproximateCreationDateTime: Number(dynamodb?.ApproximateCreationDateTime) / 1000 },
})
