import { firstIdAt, lastIdAt, MAX_ID, padId } from '#lib/ids.ts'
import { openCursor, sealCursor } from './cursor.ts'
import type { Collection } from './keys.ts'
import { queryItems } from './queries.ts'

/** What every list takes; times are Unix milliseconds, both exclusive. */
export type PageQuery = {
  limit: number
  order: 'asc' | 'desc'
  cursor?: string | undefined
  created_after?: number | undefined
  created_before?: number | undefined
}

/** One page of a list; `next` is where the next one begins, null at the end. */
export type Page<T> = { items: T[]; next: string | null }

/**
 * Reads one page of records in one Query, of each what its schema names: a page of 20 has a fifth less to parse. Ids are times:
 * a range of creation times is a range of sort keys. Not async: a wrong cursor is thrown at once (400), whether or not the
 * list's parent is there.
 */
export function readPage<T>(collection: Collection, { shape }: { shape: object }, query: PageQuery): Promise<Page<T>> {
  const { pk, prefix } = collection
  const { limit, order, cursor, created_after, created_before } = query
  const first = created_after === undefined ? 0 : lastIdAt(created_after) + 1
  const last = created_before === undefined ? MAX_ID : firstIdAt(created_before) - 1
  const list = [pk, prefix, order, first, last].join('\n')
  const position = cursor === undefined ? undefined : openCursor(list, cursor)
  // DynamoDB refuses a BETWEEN whose bounds are the wrong way round.
  if (first > last) return Promise.resolve({ items: [], next: null })
  const sortKey = (id: number) => prefix + padId(id)
  const range = {
    from: sortKey(first),
    to: sortKey(last),
    after: position === undefined ? undefined : sortKey(position),
    limit,
    ascending: order === 'asc',
  }
  const next = (sk: string | undefined) => (sk === undefined ? null : sealCursor(list, Number(sk.slice(prefix.length))))
  return queryItems<T>(pk, range, Object.keys(shape)).then(({ items, last }) => ({ items, next: next(last) }))
}
