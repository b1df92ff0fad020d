import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { tableConfig } from '#lib/config.ts'
import { IdTaken } from '#lib/ids.ts'
import { documentClient } from './client.ts'
import { absent, type Change, type Clause, conditionOf, exists, updateOf } from './expressions.ts'
import type { Item, Refusal } from './items.ts'
import type { Key } from './keys.ts'
import { send } from './send.ts'

/** One item's part in a transaction, and what its failed condition means. */
export type Step = { operation: NonNullable<TransactWriteCommandInput['TransactItems']>[number]; refuse: Refusal }

const target = () => ({ TableName: tableConfig().TABLE_NAME, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const })

const idTaken: Refusal = () => new IdTaken()
const unconditional: Refusal = () => new Error('A write without a condition failed its condition')

/** Puts an item where there is none. Unless said otherwise, one that is there means that the new id is taken. */
export function create(key: Key, type: string, item: Item, refuse: Refusal = idTaken, clauses: Clause[] = [absent]): Step {
  const condition = conditionOf(clauses)
  return { operation: { Put: { ...target(), Item: { ...item, ...key, type }, ...condition } }, refuse }
}

/** Puts an item, whatever was there. */
export function replace(key: Key, type: string, item: Item): Step {
  return { operation: { Put: { ...target(), Item: { ...item, ...key, type } } }, refuse: unconditional }
}

/** Changes an item that is there and fits the clauses. */
export function change(key: Key, what: Change, clauses: Clause[], refuse: Refusal): Step {
  return { operation: { Update: { ...target(), Key: key, ...updateOf(what, [exists, ...clauses]) } }, refuse }
}

/** Deletes an item that is there and fits the clauses. */
export function erase(key: Key, clauses: Clause[], refuse: Refusal): Step {
  const condition = conditionOf([exists, ...clauses])
  return { operation: { Delete: { ...target(), Key: key, ...condition } }, refuse }
}

/** Deletes an item that may be gone already. */
export function eraseAny(key: Key): Step {
  return { operation: { Delete: { ...target(), Key: key } }, refuse: unconditional }
}

/** Goes on only where an item is there and fits the clauses. */
export function check(key: Key, clauses: Clause[], refuse: Refusal): Step {
  const condition = conditionOf([exists, ...clauses])
  return { operation: { ConditionCheck: { ...target(), Key: key, ...condition } }, refuse }
}

/** Does all steps or none. Where several conditions fail, the first step of them in the list says why. */
export async function transact(steps: Step[]): Promise<void> {
  try {
    // A new command each time: the SDK's resends share its client request token, our retries after a conflict must not.
    await send(() => documentClient().send(new TransactWriteCommand({ TransactItems: steps.map(({ operation }) => operation) })))
  } catch (error) {
    throw reason(error, steps)
  }
}

function reason(error: unknown, steps: Step[]): unknown {
  if (!(error instanceof TransactionCanceledException)) return error
  const reasons = error.CancellationReasons ?? []
  const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')
  const old = reasons[index]?.Item
  return steps[index]?.refuse(old && unmarshall(old)) ?? error
}
