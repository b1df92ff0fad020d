import { createHash } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anchors, type TenantId } from '#lib/table/keys.ts'
import { ask } from '#tests/support/answers.ts'
import { openShard } from '#tests/support/stream.ts'
import { allItems } from '#tests/support/table.ts'
import { type House, newAdmin, newBlog, newComment, newPost, newTenant } from '#tests/support/world.ts'
import { redrive } from '#tools/dead-letters.ts'
import { Refusal, startAws } from './aws.ts'

const REGION = 'us-east-1'

let house: House
let letters: { MessageId: string; Body: string; MD5OfBody: string; ReceiptHandle: string }[]
let deleted: string[]
let stop = () => {}

beforeAll(async () => {
  house = await newTenant(await newAdmin())
})

beforeEach(async () => {
  letters = []
  deleted = []
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB as string
  const sqs = await startAws({
    GetQueueUrl: () => ({ QueueUrl: sqs.endpoint }),
    ReceiveMessage: ({ MaxNumberOfMessages }) => ({ Messages: letters.splice(0, MaxNumberOfMessages) }),
    DeleteMessage: ({ ReceiptHandle }) => {
      deleted.push(ReceiptHandle)
      return {}
    },
  })
  stop = sqs.stop
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', sqs.endpoint)
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB_STREAMS', endpoint)
})

afterEach(() => {
  stop()
  vi.unstubAllEnvs()
})

/** The table's stream and where it ends now: the number of the newest event. */
async function stream() {
  const { next, ...where } = await openShard()
  const numbers: string[] = []
  for (let records = await next(); records.length > 0; records = await next())
    numbers.push(...records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? ''))
  return { ...where, numbers }
}

/** What Lambda sends about a batch that it gave up. */
function letter(ReceiptHandle: string, batch: object): void {
  const Body = JSON.stringify({ version: '1.0', DDBStreamBatchInfo: { batchSize: 1, ...batch } })
  letters.push({ MessageId: ReceiptHandle, ReceiptHandle, Body, MD5OfBody: createHash('md5').update(Body).digest('hex') })
}

/** A blog that was deleted and whose events nobody has worked on, as a letter. */
async function givenUp(name: string) {
  const blog = await newBlog(house.author)
  const post = await newPost(house.author, blog.id)
  await newComment(house.reader, post.id)
  const before = (await stream()).numbers.length
  await ask('deleteBlog', {
    as: house.author,
    params: { tenant_id: house.tenant_id, user_id: house.author.id, blog_id: blog.id },
  })
  const { numbers, ...where } = await stream()
  letter(name, { ...where, startSequenceNumber: numbers[before], endSequenceNumber: numbers.at(-1) })
  return anchors.blog(house.tenant_id as TenantId, blog.id).pk
}

const isGone = async (partition: string) => !(await allItems()).some(({ pk }) => pk === partition)

describe('npm run redrive', () => {
  test('purges what the letters stand for, and removes them', async () => {
    const partitions = [await givenUp('one'), await givenUp('two')]
    expect(await redrive('masthead-dev-dead-letters', REGION)).toEqual({ done: 2, failed: 0, expired: 0 })
    expect(deleted).toEqual(['one', 'two'])
    expect(await Promise.all(partitions.map(isGone))).toEqual([true, true])
  })

  test('does nothing where there is no letter', async () => {
    expect(await redrive('masthead-dev-dead-letters', REGION)).toEqual({ done: 0, failed: 0, expired: 0 })
  })

  test('counts and removes a letter whose events the stream has let go', async () => {
    const trimmed = await startAws({
      GetShardIterator: () => {
        throw new Refusal('TrimmedDataAccessException')
      },
    })
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB_STREAMS', trimmed.endpoint)
    letter('old', { streamArn: 'a stream', shardId: 'a shard', startSequenceNumber: '1', endSequenceNumber: '2' })
    expect(await redrive('masthead-dev-dead-letters', REGION)).toEqual({ done: 0, failed: 0, expired: 1 })
    expect(deleted).toEqual(['old'])
    trimmed.stop()
  })

  test('keeps a letter that fails again', async () => {
    const partition = await givenUp('stubborn')
    // The queue shows it again while the command still runs.
    letters.push(...letters)
    vi.stubEnv('TABLE_NAME', 'masthead-nowhere')
    vi.resetModules()
    const { redrive: elsewhere } = await import('#tools/dead-letters.ts')
    expect(await elsewhere('masthead-dev-dead-letters', REGION)).toEqual({ done: 0, failed: 1, expired: 0 })
    expect(deleted).toEqual([])
    vi.unstubAllEnvs()
    expect(await isGone(partition)).toBe(false)
  })

  test('says which queue it cannot read', async () => {
    stop()
    const none = await startAws({})
    stop = none.stop
    vi.stubEnv('AWS_ENDPOINT_URL_SQS', none.endpoint)
    await expect(redrive('masthead-x-dead-letters', REGION)).rejects.toThrow('The queue masthead-x-dead-letters cannot be read')
  })
})
