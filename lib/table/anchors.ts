import { nowSeconds } from '#lib/clock.ts'
import { failure } from '#lib/errors.ts'
import { getItems } from './batches.ts'
import { absent, exists, lacks, matches } from './expressions.ts'
import { type Item, type Refusal, touchItem } from './items.ts'
import type { Key } from './keys.ts'
import { change, check, type Step } from './transact.ts'

/** The anchor of a parent that a path names, and what must be true of it (a post's `blog_id`). */
export type Parent = { key: Key; facts?: Record<string, number> }

/** A purged anchor whose cascade was lost goes by TTL, and its going starts the cascade again. */
export const PURGING_SECONDS = 7 * 86_400

const notFound: Refusal = () => failure('NotFound')

const purging = () => ({ purging: true, expires_at: nowSeconds() + PURGING_SECONDS })

export const isLiving = (anchor: Item | undefined): anchor is Item => anchor !== undefined && anchor.purging !== true

const fits = (anchor: Item, facts: Record<string, number> = {}): boolean =>
  Object.entries(facts).every(([name, value]) => anchor[name] === value)

/** Goes on only under a parent that is there and is not being purged. 404 otherwise, unless said otherwise. */
export const living = ({ key, facts = {} }: Parent, refuse: Refusal = notFound): Step =>
  check(key, [lacks('purging'), ...matches(facts)], refuse)

/** Marks an anchor for purging: from then on nothing can be made under it. */
export const mark = (key: Key): Step => change(key, { set: purging() }, [], notFound)

/** The same as a write of its own, where the anchor is there. Without the condition it would raise a ghost. */
export async function markAnchor(key: Key): Promise<void> {
  await touchItem(key, { set: purging() }, [exists])
}

/** Puts back, marked, an anchor that went before what it owned; says whether it is marked now, by a first sending as well. */
export async function restoreAnchor(key: Key): Promise<boolean> {
  const { item } = await touchItem(key, { set: { ...purging(), type: 'anchor' } }, [absent])
  return item?.purging === true
}

function requireLiving(anchor: Item | undefined, { facts }: Parent): Item {
  if (!isLiving(anchor) || !fits(anchor, facts)) throw failure('NotFound')
  return anchor
}

/** Reads the anchors of every parent that a path names, and more along with them. Throws a 404 where a parent is gone. */
async function readWith(parents: Parent[], keys: Key[]): Promise<{ anchors: Item[]; items: (Item | undefined)[] }> {
  const read = await getItems([...parents.map(({ key }) => key), ...keys])
  return { anchors: parents.map((parent, n) => requireLiving(read[n], parent)), items: read.slice(parents.length) }
}

/**
 * Awaits work side by side with a read of the anchors of every parent that the path names. A parent that is gone decides (404):
 * what the work did then touched only a doomed record.
 */
export async function beside<T>(
  parents: Parent[],
  work: Promise<T>,
): Promise<[anchors: Item[], result: PromiseSettledResult<T>]> {
  const [found, result] = await Promise.allSettled([readWith(parents, []), work])
  if (found.status === 'rejected') throw found.reason
  return [found.value.anchors, result]
}

/** The same for work whose failure is the answer. */
export async function under<T>(parents: Parent[], work: Promise<T>): Promise<T> {
  const [, result] = await beside(parents, work)
  if (result.status === 'rejected') throw result.reason
  return result.value
}

/** Reads records whose path names those parents, in one request with their anchors; throws a 404 where one of all is gone. */
export async function getAllUnder<T extends Item[]>(parents: Parent[], keys: { [K in keyof T]: Key }): Promise<T> {
  const { items } = await readWith(parents, keys)
  if (items.includes(undefined)) throw failure('NotFound')
  return items as T
}

/** The same for one record. */
export async function getUnder<T extends Item>(parents: Parent[], key: Key): Promise<T> {
  const [record] = await getAllUnder<[T]>(parents, [key])
  return record
}
