import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { LOCAL } from '#tools/table.ts'

export type StoredItem = Record<string, unknown> & { pk: string; sk: string }

let client: DynamoDBDocumentClient | undefined

/** The tests' own client: what they see does not come through the code that they test. */
export function tableClient(): DynamoDBDocumentClient {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB as string
  client ??= DynamoDBDocumentClient.from(new DynamoDBClient({ ...LOCAL, endpoint }))
  return client
}

/** Every item of this test file's table: the one place that scans. */
export async function allItems(): Promise<StoredItem[]> {
  const items: StoredItem[] = []
  const pages = paginateScan({ client: tableClient() }, { TableName: process.env.TABLE_NAME, ConsistentRead: true })
  for await (const { Items = [] } of pages) items.push(...(Items as StoredItem[]))
  return items
}

/** What the table holds of a tenant, wherever it stands. */
export const itemsOf = async (tenant: number): Promise<StoredItem[]> =>
  (await allItems()).filter((item) => item.tenant_id === tenant || new RegExp(`^TENANT#${tenant}(#|$)`).test(item.pk))
