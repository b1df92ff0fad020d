import { createHash } from 'node:crypto'
import { authConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'
import { clear, count, forget, lock, nowSeconds, release, type Window } from '#lib/limits/failures.ts'
import { sourceOf } from '#lib/limits/source.ts'
import { queryKeyed } from '#lib/table/items.ts'
import { type Key, keys } from '#lib/table/keys.ts'

/** A login record as failures are counted: its tenant, or undefined for an email that nobody has. */
type Tenant = number | undefined

/** The failures on one email, from one source or from all (`*`): those without a tenant count for every tenant. */
type Tally = {
  email: string
  source: string
  limit: number
  counted: Key
  general: Window | undefined
  direct: Map<number, Window>
}

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
  const windows = new Map(others.filter(([, { ends_at }]) => ends_at > nowSeconds())).set(counted.sk, window)
  const direct = [...windows].flatMap(([sk, each]): [number, Window][] =>
    sk === source ? [] : [[Number(sk.slice(source.length + 1)), each]],
  )
  return { email: subject, source, limit, counted, general: windows.get(source), direct: new Map(direct) }
}

function failuresOf({ general, direct }: Tally, tenant: Tenant): number {
  const cleared = tenant === undefined ? 0 : (general?.[`cleared_${tenant}`] ?? 0)
  return (general?.failures ?? 0) - cleared + (tenant === undefined ? 0 : (direct.get(tenant)?.failures ?? 0))
}

const endOf = ({ general, direct }: Tally, tenant: Tenant): number =>
  Math.max(general?.ends_at ?? 0, (tenant !== undefined && direct.get(tenant)?.ends_at) || 0)

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
    const full = this.#tallies.filter((each) => failuresOf(each, tenant) > each.limit).map((each) => endOf(each, tenant))
    const ends = window.failures > authConfig().SOURCE_FAILURES ? [window.ends_at, ...full] : full
    return ends.length === 0 ? 0 : Math.max(1, ...ends.map((end) => end - nowSeconds()))
  }

  /** Nothing was tried: refuses the attempt, uncounted. */
  async refuse(waits: number[]): Promise<never> {
    await Promise.all([...this.#tallies.map(({ counted }) => release(counted)), release(this.#source.key)])
    throw failure('TooManyRequests', { retryAfterSeconds: Math.max(1, ...waits) })
  }

  /** The password fitted none of the records: what is full now locks. */
  async fail(tenants: Tenant[]): Promise<void> {
    const { key, window } = this.#source
    const full = this.#tallies.flatMap((each) =>
      tenants.filter((t) => failuresOf(each, t) === each.limit).flatMap((t) => windowsOf(each, t)),
    )
    const own = window.failures === authConfig().SOURCE_FAILURES ? [{ key, window }] : []
    await Promise.all([...own, ...full].map((each) => lock(each.key, each.window)))
  }

  /** The password fitted: only those records are forgiven. */
  async succeed(tenants: number[]): Promise<void> {
    const cleared = this.#tallies.flatMap((each) =>
      tenants.flatMap((tenant) => [
        ...(each.general ? [clear(keys.failures(each.email, each.source), each.general, tenant)] : []),
        ...(each.direct.has(tenant) ? [forget(keys.failures(each.email, each.source, tenant))] : []),
      ]),
    )
    await Promise.all([...cleared, release(this.#source.key)])
  }
}

const windowsOf = ({ email, source, general, direct }: Tally, tenant: Tenant): { key: Key; window: Window }[] => {
  const own = tenant === undefined ? undefined : direct.get(tenant)
  return [
    ...(general ? [{ key: keys.failures(email, source), window: general }] : []),
    ...(own ? [{ key: keys.failures(email, source, tenant), window: own }] : []),
  ]
}
