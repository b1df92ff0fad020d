import { firstIdAt, lastIdAt, MAX_ID, padId } from '#lib/ids.ts'
import { openCursor, sealCursor } from './cursor.ts'
import type { Collection } from './keys.ts'
import { queryPage } from './queries.ts'

/** What every list takes; times are Unix milliseconds, both exclusive. */
export type PageQuery = {
  limit: number
  order: 'asc' | 'desc'
  cursor?: string | undefined
  created_after?: number | undefined
  created_before?: number | undefined
}

/** Lambda takes 6 MB, of which names and marks have their part: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const MAX_ANSWER_BYTES = 5_500_000

/** One page of a list; `next` is where the next one begins, null at the end. */
export type Page<T> = { items: T[]; next: string | null }

/**
 * Reads one page of records in one Query, of each what its schema names: a page of 20 has a fifth less to parse. Ids are times:
 * a range of creation times is a range of sort keys. Not async: a wrong cursor is thrown at once (400), whether or not the
 * list's parent is there.
 */
export function readPage<T extends { id: number }>(
  collection: Collection,
  { shape }: { shape: object },
  query: PageQuery,
): Promise<Page<T>> {
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
  return queryPage<T>(pk, range, Object.keys(shape)).then(({ items: all, last }) => {
    const items = answerable(all)
    const end = items.length < all.length ? sortKey(items.at(-1)?.id as number) : last
    return { items, next: end === undefined ? null : sealCursor(list, Number(end.slice(prefix.length))) }
  })
}

/**
 * As many of the records as a Lambda may answer with, the first of them in any case. DynamoDB reads 1 MB at most, but a control
 * character of a body is one byte there, six in JSON, and seven in the JSON of the answer around it.
 */
function answerable<T extends object>(items: T[]): T[] {
  // Seven bytes is the most for a character. Almost every page ends here: to make its JSON twice would be 1 % of a list's time.
  const characters = items.reduce((sum, item) => sum + Object.values(item).join('').length, 0)
  if (characters * 7 <= MAX_ANSWER_BYTES) return items
  let bytes = 0
  const end = items.findIndex((item, n) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(item)))
    return n > 0 && bytes > MAX_ANSWER_BYTES
  })
  return end === -1 ? items : items.slice(0, end)
}
