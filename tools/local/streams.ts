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
import type { Installation, Invoke, Worker } from '#tools/local/installation.ts'
import { readShard } from '#tools/local/shard.ts'
import type { StreamEvent } from '#tools/service.ts'
import { LOCAL } from '#tools/table.ts'

const RETRY_MS = 500
const STOP_MS = 1000

export interface StreamOptions extends Pick<Installation, 'workers' | 'invoke'> {
  endpoint: string
  tableName: string
  /** remembers how far the stream was read; without one it is read from its beginning */
  checkpointFile?: string | undefined
}

/** Reads the table's stream and calls the workers with what their filters take. Gives the way to stop it. */
export async function startStreams(given: StreamOptions): Promise<() => Promise<void>> {
  const { endpoint, tableName, checkpointFile, workers, invoke } = given
  const client = new DynamoDBStreamsClient({ ...LOCAL, endpoint })
  const checkpoint = openCheckpoint(checkpointFile)
  const stopping = new AbortController()
  const options = { client, checkpoint, signal: stopping.signal, deliver: deliverTo(workers, invoke) }
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

const deliverTo = (workers: Worker[], invoke: Invoke) => async (records: StreamRecord[]) => {
  for (const worker of workers)
    await Promise.all(lanesOf(worker.stream, records).map((lane) => deliverLane(worker, invoke, lane)))
}

/** What a worker's filter takes, side by side for different partitions, as many at once as Lambda would. */
function lanesOf({ filterPatterns, parallelizationFactor }: StreamEvent, records: StreamRecord[]): StreamRecord[][] {
  const wanted = records.filter((record) => filterPatterns.some((pattern) => matches(pattern, record)))
  return Object.values(
    Object.groupBy(wanted, ({ dynamodb }) => crc32(dynamodb?.Keys?.pk?.S ?? '') % parallelizationFactor),
  ) as StreamRecord[][]
}

async function deliverLane(worker: Worker, invoke: Invoke, records: StreamRecord[]): Promise<void> {
  const { batchSize } = worker.stream
  for (let start = 0; start < records.length; start += batchSize)
    await deliver(worker, invoke, records.slice(start, start + batchSize))
}

/** AWS's event filters, as far as we use them: each leaf is a list of values, one of which must be the record's. */
function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.includes(value)
  const given = Object(value)
  return Object.entries(pattern as object).every(([key, part]) => matches(part, given[key]))
}

/** Calls a worker until it reports no failure, as often as its event source lets it. */
async function deliver({ name, stream }: Worker, invoke: Invoke, records: StreamRecord[]): Promise<void> {
  let left = records
  for (let attempt = 0; left.length > 0 && attempt <= stream.maximumRetryAttempts; attempt++) {
    if (attempt > 0) await wait(RETRY_MS)
    left = await failedOf(name, invoke, left)
  }
}

/** The records that have to be sent again: from the first that the worker reports, or all where it throws. */
async function failedOf(name: string, invoke: Invoke, records: StreamRecord[]): Promise<StreamRecord[]> {
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
