/** 1994-01-01T00:00:00Z, older than the first blog: 41 bits of milliseconds from here last until 2063. */
export const EPOCH_MS = Date.UTC(1994, 0, 1)
/** The last millisecond that 41 bits reach. */
export const LAST_MS = EPOCH_MS + 2 ** 41 - 1
/** 12 random bits. */
const IDS_PER_MS = 4096
const MAX_ATTEMPTS = 32

/** The largest id: 2^53 - 1, the last integer that every JSON reader keeps exact. */
export const MAX_ID = Number.MAX_SAFE_INTEGER

/** The id of nothing: see `mintId`. */
export const NO_ID = 0

/** The digits of a 16-digit sort key: ids in it sort as they do as numbers. */
export const padId = (id: number): string => String(id).padStart(16, '0')

const clampId = (id: number): number => Math.min(Math.max(id, 0), MAX_ID)

/** The smallest id that a record made at `ms` (Unix time) can have; clamped to what an id can be. */
export const firstIdAt = (ms: number): number => clampId((ms - EPOCH_MS) * IDS_PER_MS)

/** The largest id that a record made at `ms` (Unix time) can have. */
export const lastIdAt = (ms: number): number => clampId((ms - EPOCH_MS) * IDS_PER_MS + IDS_PER_MS - 1)

/** A new id for a record made at `ms` (Unix time): 41 bits of time, 12 random bits. Unique only once a conditional write has taken it. */
export function mintId(ms: number): number {
  const random = (crypto.getRandomValues(new Uint16Array(1))[0] as number) % IDS_PER_MS
  // 0, which the first instant could give, is no id.
  return Math.max((ms - EPOCH_MS) * IDS_PER_MS + random, 1)
}

/** Thrown by a conditional write whose new id is taken already. */
export class IdTaken extends Error {}

/**
 * Runs a create with a new id, again with another while the id is taken. Each try moves the id (never `created_at`) on by a
 * millisecond, so that many imports of one date find room.
 */
export async function withNewId<T>(ms: number, create: (id: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await create(mintId(ms + attempt))
    } catch (error) {
      if (!(error instanceof IdTaken) || attempt >= MAX_ATTEMPTS) throw error
    }
  }
}

/** What every new record starts with; `ms` is the Unix time of its making. */
export function newborn(id: number, ms: number) {
  const now = new Date(ms).toISOString()
  return { id, created_at: now, updated_at: now, version: 1 }
}
