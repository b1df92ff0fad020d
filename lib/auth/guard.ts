import { createHash } from 'node:crypto'
import { nowSeconds } from '#lib/clock.ts'
import { authConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'
import { clear, count, forget, lock, release, type Window } from '#lib/limits/failures.ts'
import { sourceOf } from '#lib/limits/source.ts'
import { type Key, keys } from '#lib/table/keys.ts'
import { queryKeyed } from '#lib/table/queries.ts'

/** A login record as failures are counted: its tenant, or undefined for an email that nobody has. */
type Tenant = number | undefined

/**
 * The failures on one email, from one source or from all (`*`), that stand against a login. Those without a tenant count for every
 * tenant. Those with one count for it, and for logins that name none: whose tenant it was must not show.
 */
type Tally = { email: string; source: string; limit: number; counted: Key; windows: Map<string, Window> }

const ANY_SOURCE = '*'

/** Any text may be tried as an email: its digest makes a key. */
const subjectOf = (email: string): string => createHash('sha256').update(email).digest('base64url')

/**
 * Counts an attempt, and finds what else was counted. Nothing here depends on whether the email is anybody's: a locked account
 * looks like an unknown one.
 */
async function tally(email: string, tenant: Tenant, source: string, limit: number): Promise<Tally> {
  const subject = subjectOf(email)
  const counted = keys.failures(subject, source, tenant)
  const [window, others] = await Promise.all([
    count(counted),
    queryKeyed<Window>(counted.pk, { from: source, to: `${source}#~` }),
  ])
  const stands = ([sk, { ends_at }]: [string, Window]) => ends_at > nowSeconds() && (tenant === undefined || sk === source)
  const windows = new Map(others.filter(stands)).set(counted.sk, window)
  return { email: subject, source, limit, counted, windows }
}

function failuresOf({ source, windows }: Tally, tenant: Tenant): number {
  const cleared = tenant === undefined ? 0 : (windows.get(source)?.[`cleared_${tenant}`] ?? 0)
  return [...windows.values()].reduce((sum, { failures }) => sum + failures, -cleared)
}

const endOf = ({ windows }: Tally): number => Math.max(...[...windows.values()].map(({ ends_at }) => ends_at))

const windowsOf = ({ counted: { pk }, windows }: Tally) => [...windows].map(([sk, window]) => ({ key: { pk, sk }, window }))

/** What stands between a login and the hash: it is made for every attempt, and told how that ended. */
export class Guard {
  readonly #tallies: Tally[]
  readonly #source: { key: Key; window: Window }

  private constructor(tallies: Tally[], source: { key: Key; window: Window }) {
    this.#tallies = tallies
    this.#source = source
  }

  /** Counts the attempt as failed, in one round trip that runs beside the login's read. */
  static async count(email: string, tenant: Tenant, address: string): Promise<Guard> {
    const { LOGIN_FAILURES_PER_SOURCE, LOGIN_FAILURES } = authConfig()
    const source = sourceOf(address)
    const key = keys.failures(source, ANY_SOURCE)
    const [mine, everyones, window] = await Promise.all([
      tally(email, tenant, source, LOGIN_FAILURES_PER_SOURCE),
      tally(email, tenant, ANY_SOURCE, LOGIN_FAILURES),
      count(key),
    ])
    return new Guard([mine, everyones], { key, window })
  }

  /** How many seconds to wait before a password may be tried on a login record; 0 where it may now. */
  waitFor(tenant: Tenant): number {
    const { window } = this.#source
    const full = this.#tallies.filter((each) => failuresOf(each, tenant) > each.limit).map(endOf)
    const ends = window.failures > authConfig().SOURCE_FAILURES ? [window.ends_at, ...full] : full
    return ends.length === 0 ? 0 : Math.max(1, ...ends.map((end) => end - nowSeconds()))
  }

  /** Nothing was tried: refuses the attempt, uncounted. */
  async refuse(waits: number[]): Promise<never> {
    await this.release()
    throw failure('TooManyRequests', { retryAfterSeconds: Math.max(1, ...waits) })
  }

  /** Takes the count of the attempt back. */
  async release(): Promise<void> {
    await Promise.all([...this.#tallies.map(({ counted }) => release(counted)), release(this.#source.key)])
  }

  /** The password fitted none of the records: what is full now locks. */
  async fail(tenants: Tenant[]): Promise<void> {
    const { key, window } = this.#source
    const isFull = (each: Tally) => tenants.some((tenant) => failuresOf(each, tenant) === each.limit)
    const full = this.#tallies.filter(isFull).flatMap(windowsOf)
    const own = window.failures === authConfig().SOURCE_FAILURES ? [{ key, window }] : []
    await Promise.all([...own, ...full].map((each) => lock(each.key, each.window)))
  }

  /** The password fitted: only those records are forgiven. */
  async succeed(tenants: number[]): Promise<void> {
    const cleared = this.#tallies.flatMap((each) => tenants.flatMap((tenant) => forgiven(each, tenant)))
    await Promise.all([...cleared, release(this.#source.key)])
  }
}

function forgiven({ email, source, windows }: Tally, tenant: number): Promise<void>[] {
  const [general, direct] = [keys.failures(email, source), keys.failures(email, source, tenant)]
  const window = windows.get(general.sk)
  return [...(window ? [clear(general, window, tenant)] : []), ...(windows.has(direct.sk) ? [forget(direct)] : [])]
}
