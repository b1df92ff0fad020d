import { isDeepStrictEqual } from 'node:util'
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { allItems, type StoredItem, tableClient } from './table.ts'

const nameOf = ({ pk, sk }: StoredItem): string => `${pk} ${sk}`

/** What counts calls is nobody's record. */
const isCounter = ({ type }: StoredItem): boolean => type === 'writes' || type === 'failures'

const byName = (items: StoredItem[]): Map<string, StoredItem> =>
  new Map(items.filter((item) => !isCounter(item)).map((item) => [nameOf(item), item]))

/** An item as it was and as it is, undefined where it was or is not. */
export type Change = { was: StoredItem | undefined; is: StoredItem | undefined }

/** What distinguishes this test file's table from what it was. */
export async function changesSince(before: StoredItem[]): Promise<Change[]> {
  const [old, now] = [byName(before), byName(await allItems())]
  const names = new Set([...old.keys(), ...now.keys()])
  return [...names]
    .map((name) => ({ was: old.get(name), is: now.get(name) }))
    .filter(({ was, is }) => !isDeepStrictEqual(was, is))
}

/** Makes the table what it was. */
export async function undo(changes: Change[]): Promise<void> {
  const TableName = process.env.TABLE_NAME
  for (const { was, is } of changes) {
    if (was) await tableClient().send(new PutCommand({ TableName, Item: was }))
    else if (is) await tableClient().send(new DeleteCommand({ TableName, Key: { pk: is.pk, sk: is.sk } }))
  }
}
