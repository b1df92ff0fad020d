import { nowSeconds } from '#lib/clock.ts'
import { DomainFailure, failure } from '#lib/errors.ts'
import { withNewId } from '#lib/ids.ts'
import { living } from './anchors.ts'
import { absent, either, expiredBy } from './expressions.ts'
import type { Item } from './items.ts'
import { anchors, type Key, keys, type TenantId } from './keys.ts'
import { create, type Step, transact } from './transact.ts'

/** How long an idempotency key is kept. */
const KEPT_SECONDS = 86_400

/** A create that its caller may send again, under a key of its own choosing. */
export type Once = {
  caller: { tenant_id: TenantId; id: number }
  key: string
  /** What the request is under each secret that counts, the current one first. */
  fingerprints: [current: string, ...previous: string[]]
  /** Set when the answer is that of an earlier request. */
  replayed: boolean
}

/** A record to be: pure functions of its id and its time (Unix milliseconds), so that an answer can be given again. */
export type Creation<T> = { at: number; record: (id: number, at: number) => T; steps: (record: T) => Step[] }

/** The create was done before, under the same key. */
class Replay extends Error {
  readonly id: number
  readonly at: number
  constructor({ id, at }: Item) {
    super()
    this.id = id as number
    this.at = at as number
  }
}

/**
 * Makes a record under a new id, in one transaction. With an idempotency key, at most once in 24 hours: a second request of the
 * same content gets the first one's record, one of another content a 422.
 */
export async function createRecord<T>({ at, record, steps }: Creation<T>, once?: Once): Promise<T> {
  try {
    return await withNewId(at, async (id) => {
      const made = record(id, at)
      const own = steps(made)
      await transact([...(once ? remember(once, id, at, own) : []), ...own])
      return made
    })
  } catch (error) {
    if (!once || !(error instanceof Replay)) throw error
    once.replayed = true
    return record(error.id, error.at)
  }
}

/** Steps: the key is taken, by a caller who is still there (else its key could outlive the cascade). */
function remember(once: Once, id: number, at: number, others: Step[]): Step[] {
  const { caller, key, fingerprints } = once
  const now = nowSeconds()
  const item = { fingerprint: fingerprints[0], id, at, expires_at: now + KEPT_SECONDS }
  const anchor = anchors.user(caller.tenant_id, caller.id)
  return [
    create(keys.idempotency(caller.tenant_id, caller.id, key), 'idempotency', item, refusal(once), [
      either(absent, expiredBy(now)),
    ]),
    // A transaction names no item twice.
    ...(others.some((step) => isOn(step, anchor)) ? [] : [living({ key: anchor }, () => failure('Unauthorized'))]),
  ]
}

const isOn = ({ operation: { ConditionCheck } }: Step, { pk, sk }: Key): boolean =>
  ConditionCheck?.Key?.pk === pk && ConditionCheck?.Key?.sk === sk

const refusal =
  ({ fingerprints }: Once) =>
  (old: Item = {}): Error =>
    fingerprints.includes(old.fingerprint as string)
      ? new Replay(old)
      : new DomainFailure('Idempotency key was used with another request')
