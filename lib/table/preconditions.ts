import { failure } from '#lib/errors.ts'
import { type Clause, versionIn } from './expressions.ts'
import type { Item, Refusal } from './items.ts'

/** The versions that `If-Match` allows a record to have; undefined where it allows any. */
export type Versions = number[] | undefined

/** The clauses by which a write goes through only on a version that its caller has seen. */
export const asExpected = (versions: Versions): Clause[] => (versions === undefined ? [] : [versionIn(versions)])

/** Throws a 412 where a record that was read is of another version. */
export function requireExpected(versions: Versions, { version }: { version: number }): void {
  if (versions !== undefined && !versions.includes(version)) throw failure('PreconditionFailed')
}

/** Why a conditional write of a record was refused: it is gone (404), the caller may not (403), or its version is another (412). */
export const refusedUnless =
  (may: (old: Item) => boolean = () => true): Refusal =>
  (old) => {
    if (!old) return failure('NotFound')
    return failure(may(old) ? 'PreconditionFailed' : 'Forbidden')
  }
