import type { TableCall } from '#tests/support/record.ts'

type Condition = Record<string, Record<string, string[]>>

export type Statement = { Effect: string; Action: string | string[]; Resource: unknown; Condition?: Condition }

/** The service's two condition keys, with the one operator for each that the roles use. */
const PARTITIONS = (condition: Condition = {}): string[] | undefined =>
  condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys']
const ATTRIBUTES = (condition: Condition = {}): string[] | undefined =>
  condition['ForAllValues:StringEquals']?.['dynamodb:Attributes']

export const actionsOf = ({ Action }: Statement): string[] => [Action].flat()

const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

const fits = (pattern: string, value: string): boolean =>
  new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`).test(value)

/** Whether IAM would let a call through by this statement alone; for a condition that is not known here, never. */
export function allows({ Effect, Action, Condition, ...statement }: Statement, call: TableCall): boolean {
  const partitions = PARTITIONS(Condition)
  const attributes = ATTRIBUTES(Condition)
  const known = Number(partitions !== undefined) + Number(attributes !== undefined)
  return (
    Effect === 'Allow' &&
    actionsOf({ Effect, Action, ...statement }).includes(`dynamodb:${call.action}`) &&
    Object.values(Condition ?? {}).flatMap(Object.keys).length === known &&
    (partitions === undefined || partitions.some((pattern) => fits(pattern, call.partition))) &&
    (attributes === undefined || (call.attributes ?? []).every((name) => attributes.includes(name)))
  )
}

/** What a statement lets through that none of the calls needed: actions, partitions and attributes. */
export function unusedOf(statement: Statement, calls: TableCall[]): string[] {
  const used = calls.filter((call) => allows(statement, call))
  const actions = new Set(used.map(({ action }) => `dynamodb:${action}`))
  const named = new Set(used.flatMap(({ attributes = [] }) => attributes))
  return [
    ...actionsOf(statement).filter((action) => !actions.has(action)),
    ...(PARTITIONS(statement.Condition) ?? []).filter((pattern) => !used.some(({ partition }) => fits(pattern, partition))),
    ...(ATTRIBUTES(statement.Condition) ?? []).filter((name) => !named.has(name)),
  ]
}

export const describeCall = ({ action, partition, attributes }: TableCall): string =>
  [`dynamodb:${action}`, partition, ...(attributes ?? [])].join(' ')
