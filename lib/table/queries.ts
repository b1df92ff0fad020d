import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { tableConfig } from '#lib/config.ts'
import { documentClient } from './client.ts'
import { projectionOf } from './expressions.ts'
import { attributesOf, type Item } from './items.ts'
import { send } from './send.ts'

/** A run of one partition's sort keys, both bounds included; `after` is where to go on. */
export type SortRange = { from: string; to: string; after?: string | undefined; limit?: number; ascending?: boolean }

/**
 * Reads one page of one partition's items, strongly consistent, between two sort keys (both included), beginning after a third: of
 * each item the named attributes. `last` is the sort key where the page was cut.
 */
export async function queryPage<T = Item>(
  pk: string,
  range: SortRange,
  attributes: string[],
): Promise<{ items: T[]; last: string | undefined }> {
  const query = queryFor(pk, range, projectionOf(attributes))
  const { Items = [], LastEvaluatedKey } = await send(() => documentClient().send(query))
  return { items: Items as T[], last: LastEvaluatedKey?.sk }
}

/** The items of such a page, each whole. */
export async function queryItems<T = Item>(pk: string, range: SortRange): Promise<T[]> {
  const { Items = [] } = await send(() => documentClient().send(queryFor(pk, range)))
  return Items.map((item) => attributesOf(item) as T)
}

/** The sort keys of such a page. */
export async function querySortKeys(pk: string, range: SortRange): Promise<string[]> {
  const { Items = [] } = await send(() => documentClient().send(queryFor(pk, range, projectionOf(['sk']))))
  return Items.map(({ sk }) => sk)
}

/** The items of such a page, each with its sort key. */
export async function queryKeyed<T = Item>(pk: string, range: SortRange): Promise<[sk: string, item: T][]> {
  const { Items = [] } = await send(() => documentClient().send(queryFor(pk, range)))
  return Items.map((item) => [item.sk, attributesOf(item) as T])
}

function queryFor(
  pk: string,
  { from, to, after, limit, ascending = true }: SortRange,
  projection: Partial<ReturnType<typeof projectionOf>> = {},
) {
  return new QueryCommand({
    TableName: tableConfig().TABLE_NAME,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ScanIndexForward: ascending,
    ConsistentRead: true,
    ...(limit !== undefined && { Limit: limit }),
    ...(after !== undefined && { ExclusiveStartKey: { pk, sk: after } }),
    ...projection,
  })
}
