import { setTimeout as wait } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ListStreamsCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import type { DynamoDBBatchResponse } from 'aws-lambda'
import { openCheckpoint } from '#tools/local/checkpoint.ts'
import { invoke } from '#tools/local/lambda.ts'
import { readShard } from '#tools/local/shard.ts'
import { type StreamEvent, service } from '#tools/service.ts'
import { LOCAL } from '#tools/table.ts'

const RETRY_MS = 500
const STOP_MS = 1000

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
    await Promise.race([Promise.all(reading), wait(STOP_MS)]) // what is under way then is read again at the next start
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
  for (const worker of all) await Promise.all(lanesOf(worker.stream, records).map((lane) => deliverLane(worker, lane)))
}

/** What a worker's filter takes, side by side for different partitions, as many at once as Lambda would. */
function lanesOf({ filterPatterns, parallelizationFactor }: StreamEvent, records: StreamRecord[]): StreamRecord[][] {
  const wanted = records.filter((record) => filterPatterns.some((pattern) => matches(pattern, record)))
  return Object.values(
    Object.groupBy(wanted, ({ dynamodb }) => crc32(dynamodb?.Keys?.pk?.S ?? '') % parallelizationFactor),
  ) as StreamRecord[][]
}

async function deliverLane({ name, stream }: Worker, records: StreamRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += stream.batchSize)
    await deliver({ name, stream }, records.slice(start, start + stream.batchSize))
}

/** AWS's event filters, as far as we use them: each leaf is a list of values, one of which must be the record's. */
function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.includes(value)
  const given = Object(value)
  return Object.entries(pattern as object).every(([key, part]) => matches(part, given[key]))
}

/** Calls a worker until it reports no failure, as often as serverless.yml lets it. */
async function deliver({ name, stream }: Worker, records: StreamRecord[]): Promise<void> {
  let left = records
  for (let attempt = 0; left.length > 0 && attempt <= stream.maximumRetryAttempts; attempt++) {
    if (attempt > 0) await wait(RETRY_MS)
    left = await failedOf(name, left)
  }
}

/** The records that have to be sent again: from the first that the worker reports, or all where it throws. */
async function failedOf(name: string, records: StreamRecord[]): Promise<StreamRecord[]> {
  try {
    const result = (await invoke(name, { Records: records.map(toLambdaRecord) })) as DynamoDBBatchResponse | undefined
    const [first] = result?.batchItemFailures ?? []
    const index = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === first?.itemIdentifier)
    return first ? records.slice(Math.max(index, 0)) : []
  } catch (error) {
    console.error(`${name} failed:`, error instanceof Error ? error.stack : error)
    return records
  }
}

/** The stream's API says when as a Date, Lambda in seconds. */
const toLambdaRecord = ({ dynamodb, ...record }: StreamRecord) => ({
  ...record,
  dynamodb: { ...dynamodb, ApproximateCreationDateTime: Number(dynamodb?.ApproximateCreationDateTime) / 1000 },
})
