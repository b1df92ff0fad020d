import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { LOCAL } from '#tools/table.ts'

export type StoredItem = Record<string, unknown> & { pk: string; sk: string }

/** Every item of this test file's table: the one place that scans. */
export async function allItems(): Promise<StoredItem[]> {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ ...LOCAL, endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB as string }),
  )
  const items: StoredItem[] = []
  const pages = paginateScan({ client }, { TableName: process.env.TABLE_NAME, ConsistentRead: true })
  for await (const { Items = [] } of pages) items.push(...(Items as StoredItem[]))
  client.destroy()
  return items
}

/** What the table holds of a tenant, wherever it stands. */
export const itemsOf = async (tenant: number): Promise<StoredItem[]> =>
  (await allItems()).filter((item) => item.tenant_id === tenant || new RegExp(`^TENANT#${tenant}(#|$)`).test(item.pk))
