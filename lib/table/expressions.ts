import { randomUUID } from 'node:crypto'

/** Collects the placeholders of one request: every attribute gets a name, so that none can be a reserved word. */
class Bindings {
  readonly names: Record<string, string> = {}
  readonly values: Record<string, unknown> = {}

  /** A dot leads into a map. */
  name(path: string): string {
    const parts = path.split('.')
    for (const part of parts) this.names[`#${part}`] = part
    return parts.map((part) => `#${part}`).join('.')
  }

  value(value: unknown): string {
    const placeholder = `:${Object.keys(this.values).length}`
    this.values[placeholder] = value
    return placeholder
  }
}

/** A part of a condition on one item. */
export type Clause = (bindings: Bindings) => string

export const exists: Clause = (b) => `attribute_exists(${b.name('pk')})`
export const absent: Clause = (b) => `attribute_not_exists(${b.name('pk')})`
export const has =
  (path: string): Clause =>
  (b) =>
    `attribute_exists(${b.name(path)})`
export const lacks =
  (attribute: string): Clause =>
  (b) =>
    `attribute_not_exists(${b.name(attribute)})`
export const equals =
  (attribute: string, value: unknown): Clause =>
  (b) =>
    `${b.name(attribute)} = ${b.value(value)}`
/** The item's time has run out: the table's own time to live deletes late. `now` in seconds of Unix time. */
export const expiredBy =
  (now: number): Clause =>
  (b) =>
    `${b.name('expires_at')} <= ${b.value(now)}`
export const above =
  (attribute: string, value: number): Clause =>
  (b) =>
    `${b.name(attribute)} > ${b.value(value)}`
export const below =
  (attribute: string, value: number): Clause =>
  (b) =>
    `${b.name(attribute)} < ${b.value(value)}`
/** A map has fewer entries. */
export const fewerThan =
  (attribute: string, count: number): Clause =>
  (b) =>
    `size(${b.name(attribute)}) < ${b.value(count)}`
/** The record's version is one of those; with none of them, it never is. */
export const versionIn = (versions: number[]): Clause =>
  either(...(versions.length > 0 ? versions : [0]).map((version) => equals('version', version)))
export const not =
  (clause: Clause): Clause =>
  (b) =>
    `NOT ${clause(b)}`
export const either =
  (...clauses: Clause[]): Clause =>
  (b) =>
    `(${clauses.map((clause) => clause(b)).join(' OR ')})`
/** The clauses that hold where every one of the facts is an attribute's value. */
export const matches = (facts: Record<string, unknown>): Clause[] =>
  Object.entries(facts).map(([name, value]) => equals(name, value))

/**
 * How attributes change: one in `set` is set, or removed where it is `undefined`; one in `begin` is set where it is missing; one in
 * `add` grows by its number, from 0 where it is missing.
 */
export type Change = { set?: Record<string, unknown>; begin?: Record<string, unknown>; add?: Record<string, number> }

const assignments = (b: Bindings, { set = {}, begin = {}, add = {} }: Change): string[] => [
  ...Object.entries(set).flatMap(([name, value]) => (value === undefined ? [] : [`${b.name(name)} = ${b.value(value)}`])),
  ...Object.entries(begin).map(([name, value]) => `${b.name(name)} = ${orElse(b, name, value)}`),
  ...Object.entries(add).map(([name, step]) => `${b.name(name)} = ${orElse(b, name, 0)} + ${b.value(step)}`),
]

const orElse = (b: Bindings, name: string, value: unknown): string => `if_not_exists(${b.name(name)}, ${b.value(value)})`

function updateExpression(b: Bindings, change: Change): string {
  const removed = Object.entries(change.set ?? {}).flatMap(([name, value]) => (value === undefined ? [name] : []))
  const removal = removed.length === 0 ? '' : ` REMOVE ${removed.map((name) => b.name(name)).join(', ')}`
  return `SET ${assignments(b, change).join(', ')}${removal}`
}

const render = (b: Bindings, clauses: Clause[]) => ({
  ConditionExpression: clauses.map((clause) => clause(b)).join(' AND '),
  ExpressionAttributeNames: b.names,
  ...(Object.keys(b.values).length > 0 && { ExpressionAttributeValues: b.values }),
})

/** The parts of a request that carry its condition. */
export const conditionOf = (clauses: Clause[]) => render(new Bindings(), clauses)

/** The parts of a request that read nothing but those attributes. */
export function projectionOf(attributes: string[]) {
  const b = new Bindings()
  const ProjectionExpression = attributes.map((attribute) => b.name(attribute)).join(', ')
  return { ProjectionExpression, ExpressionAttributeNames: b.names }
}

/** The parts of an update that carry its change and its condition. */
export function updateOf(change: Change, clauses: Clause[]) {
  const b = new Bindings()
  const UpdateExpression = updateExpression(b, change)
  return { UpdateExpression, ...render(b, clauses) }
}

/** A name for one write, by which a write that the SDK has sent twice knows itself again. */
export const newWriteId = (): string => randomUUID()
