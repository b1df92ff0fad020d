import { nowSeconds } from '#lib/clock.ts'
import { authConfig } from '#lib/config.ts'
import { unavailable } from '#lib/errors.ts'
import { deleteItems } from '#lib/table/batches.ts'
import { above, absent, either, equals, exists, lacks, not } from '#lib/table/expressions.ts'
import { touchItem } from '#lib/table/items.ts'
import type { Key } from '#lib/table/keys.ts'

/** How often others may open the next window between two calls of ours: each time a whole window has to pass. */
const MAX_ATTEMPTS = 5

/** What has failed lately; seconds of Unix time. `cleared_<tenant>` is how much of it does not count for that tenant. */
export type Window = { failures: number; seconds: number; ends_at: number; expires_at: number; locked?: boolean } & Record<
  `cleared_${number}`,
  number
>

/** The item outlives its window, so that the next can be longer. */
const lasting = (seconds: number) => ({
  seconds,
  ends_at: nowSeconds() + seconds,
  expires_at: nowSeconds() + seconds + authConfig().LOCK_SECONDS_MAX,
})

/** Counts an attempt as failed before it is known to be, so that many at once can't slip through. A new window begins after the old. */
export async function count(key: Key): Promise<Window> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const begin = { type: 'failures', ...lasting(authConfig().LOCK_SECONDS) }
    const isOpen = either(absent, above('ends_at', nowSeconds()))
    const { done, item } = await touchItem<Window>(key, { begin, add: { failures: 1 } }, [isOpen])
    if (done && item) return item
    if (item) await reopen(key, item)
  }
  throw unavailable(new Error('Others keep opening windows of failures'))
}

/** A window after one that was locked is twice as long. */
async function reopen(key: Key, old: Window): Promise<void> {
  const { LOCK_SECONDS, LOCK_SECONDS_MAX } = authConfig()
  const wasLocked = old.locked === true && old.expires_at > nowSeconds()
  const seconds = wasLocked ? Math.min(old.seconds * 2, LOCK_SECONDS_MAX) : LOCK_SECONDS
  const forgotten = Object.fromEntries(
    Object.keys(old).flatMap((name) => (name.startsWith('cleared_') ? [[name, undefined]] : [])),
  )
  const set = { ...forgotten, failures: 0, locked: undefined, ...lasting(seconds) }
  await touchItem(key, { set }, [equals('ends_at', old.ends_at)])
}

/** A window that is full lasts its whole length from now on. */
export async function lock(key: Key, { seconds, ends_at }: Window): Promise<void> {
  await touchItem(key, { set: { locked: true, ...lasting(seconds) } }, [equals('ends_at', ends_at)])
}

/** Takes one count back: the attempt was no failure, or none was made. */
export async function release(key: Key): Promise<void> {
  await touchItem(key, { add: { failures: -1 } }, [above('failures', 0)])
}

/** From now on the window's failures do not count for one tenant; of several logins at once the last attempt's count stands. */
export async function clear(key: Key, { failures, ends_at }: Window, tenant: number): Promise<void> {
  const cleared = `cleared_${tenant}`
  const isNews = either(lacks(cleared), not(above(cleared, failures)))
  await touchItem(key, { set: { [cleared]: failures } }, [exists, equals('ends_at', ends_at), isNews])
}

/** Forgets a window. */
export const forget = ({ pk, sk }: Key): Promise<void> => deleteItems(pk, [sk])
