import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { tableConfig } from '#lib/config.ts'
import { documentClient } from './client.ts'
import { type Change, type Clause, conditionOf, equals, exists, newWriteId, not, updateOf } from './expressions.ts'
import type { Key } from './keys.ts'
import { send } from './send.ts'

export type Item = Record<string, unknown>

/** What a refused write says: the item as it is now, or undefined where there is none. */
export type Refusal = (old: Item | undefined) => Error

const table = () => ({ TableName: tableConfig().TABLE_NAME })

const REFUSED_ITEM = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** Reads one item, strongly consistent. `T` is what the writer of that key put there. */
export async function getItem<T = Item>(key: Key): Promise<T | undefined> {
  const { Item } = await send(() => documentClient().send(new GetCommand({ ...table(), Key: key, ConsistentRead: true })))
  return Item && (attributesOf(Item) as T)
}

/** An item without what only the table needs. */
export function attributesOf({ pk: _pk, sk: _sk, type: _type, ...attributes }: Item): Item {
  return attributes
}

/**
 * Changes a record where the clauses hold, raises its `version`, and returns it as it is then. Never makes one.
 * A resent write whose first reply was lost finds its own `write_id` and counts as done.
 */
export async function updateRecord<T = Item>(key: Key, set: Item, clauses: Clause[], refuse: Refusal): Promise<T> {
  const write_id = newWriteId()
  const change: Change = { set: { ...set, updated_at: new Date().toISOString(), write_id }, add: { version: 1 } }
  const update = new UpdateCommand({
    ...table(),
    Key: key,
    ...updateOf(change, [exists, not(equals('write_id', write_id)), ...clauses]),
    ReturnValues: 'ALL_NEW',
    ...REFUSED_ITEM,
  })
  try {
    const { Attributes } = await send(() => documentClient().send(update))
    return attributesOf(Attributes ?? {}) as T
  } catch (error) {
    const old = refusedItem(error)
    if (old?.write_id === write_id) return old as T
    throw refuse(old)
  }
}

/** Whether a conditional write went through, and the item as it is after it, or as it was where it did not. */
export type Outcome<T> = { done: boolean; item: T | undefined }

/** Changes one item where the clauses hold; where there is none and they hold, it makes one. For what is no record: anchors, counters. */
export async function touchItem<T = Item>(key: Key, change: Change, clauses: Clause[]): Promise<Outcome<T>> {
  const update = new UpdateCommand({
    ...table(),
    Key: key,
    ...updateOf(change, clauses),
    ReturnValues: 'ALL_NEW',
    ...REFUSED_ITEM,
  })
  try {
    const { Attributes = {} } = await send(() => documentClient().send(update))
    return { done: true, item: attributesOf(Attributes) as T }
  } catch (error) {
    return { done: false, item: refusedItem(error) as T | undefined }
  }
}

/** Deletes one item where the clauses hold. One that a resent request finds gone was deleted by its first sending. */
export async function deleteItem(key: Key, clauses: Clause[], refuse: Refusal): Promise<void> {
  const condition = conditionOf([exists, ...clauses])
  try {
    await send(() => documentClient().send(new DeleteCommand({ ...table(), Key: key, ...condition, ...REFUSED_ITEM })))
  } catch (error) {
    const old = refusedItem(error)
    const resent = ((error as ConditionalCheckFailedException).$metadata.attempts ?? 1) > 1
    if (old !== undefined || !resent) throw refuse(old)
  }
}

/** The item that made a condition fail; throws on any other error. */
function refusedItem(error: unknown): Item | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error
  return error.Item && attributesOf(unmarshall(error.Item))
}
