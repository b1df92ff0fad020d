import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, type BatchGetCommandInput, DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { untilDone } from '#lib/table/batches.ts'
import { projectionOf } from '#lib/table/expressions.ts'
import { type Key, nameOf } from '#lib/table/keys.ts'
import { type Finding, KINDS, needsOf, type Stored } from '#tools/checkup/rules.ts'

const PAGE = 500
/** What BatchGetItem takes at once. */
const BATCH = 100

/** All that the rules look at: a post's body, say, does not travel. */
const projection = projectionOf([
  ...['pk', 'sk', 'type', 'id', 'tenant_id', 'user_id', 'blog_id', 'blog_user_id', 'email'],
  ...['purging', 'expires_at', 'token_digest', 'api_keys'],
])

/**
 * Reads a whole table, page by page, and what each item needs beside it; `seen` hears how many items it has read. What seems wrong
 * is looked at twice: a request may have been between its two reads. Writes nothing.
 */
export async function examine(table: string, seen: (items: number) => void = () => {}): Promise<Finding[]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: process.env.AWS_REGION as string, maxAttempts: 10 }))
  try {
    const suspects = new Map<string, Finding>()
    let items = 0
    for await (const { Items = [] } of paginateScan(
      { client, pageSize: PAGE },
      { TableName: table, ConsistentRead: true, ...projection },
    )) {
      for (const finding of await findingsOf(client, table, Items as Stored[])) keep(suspects, finding)
      items += Items.length
      seen(items)
    }
    return inOrder(await confirmed(client, table, [...suspects.values()]))
  } finally {
    client.destroy()
  }
}

/** Everything in a partition without an anchor is one finding. */
function keep(suspects: Map<string, Finding>, finding: Finding): void {
  const { kind, key } = finding
  suspects.set(`${kind} ${kind === 'orphans' ? key.pk : nameOf(key)}`, finding)
}

async function confirmed(client: DynamoDBDocumentClient, table: string, suspects: Finding[]): Promise<Finding[]> {
  const items = await readAll(
    client,
    table,
    suspects.map(({ key }) => key),
  )
  const again = await findingsOf(client, table, [...items.values()])
  const known = new Set(suspects.map(({ kind, key }) => `${kind} ${nameOf(key)}`))
  return again.filter(({ kind, key }) => known.has(`${kind} ${nameOf(key)}`))
}

/** In the order of mending, and without the orphans of a partition whose anchor is put back. */
function inOrder(findings: Finding[]): Finding[] {
  const restored = new Set(findings.map(({ restores }) => restores?.pk))
  return findings
    .filter(({ kind, key }) => kind !== 'orphans' || !restored.has(key.pk))
    .toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}

async function findingsOf(client: DynamoDBDocumentClient, table: string, items: Stored[]): Promise<Finding[]> {
  const needs = items.flatMap(needsOf)
  const found = await readAll(
    client,
    table,
    needs.map(({ key }) => key),
  )
  return needs.filter(({ key, isMet }) => !isMet(found.get(nameOf(key)))).map(({ finding }) => finding)
}

async function readAll(client: DynamoDBDocumentClient, table: string, wanted: Key[]): Promise<Map<string, Stored>> {
  const distinct = [...new Map(wanted.map((key) => [nameOf(key), key])).values()]
  const found = new Map<string, Stored>()
  for (let n = 0; n < distinct.length; n += BATCH)
    for (const item of await readBatch(client, table, distinct.slice(n, n + BATCH))) found.set(nameOf(item), item)
  return found
}

async function readBatch(client: DynamoDBDocumentClient, table: string, Keys: Key[]): Promise<Stored[]> {
  const items: Stored[] = []
  const all: BatchGetCommandInput['RequestItems'] = { [table]: { Keys, ConsistentRead: true, ...projection } }
  await untilDone(all, async (RequestItems) => {
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand({ RequestItems }))
    items.push(...((Responses?.[table] ?? []) as Stored[]))
    return UnprocessedKeys
  })
  return items
}
