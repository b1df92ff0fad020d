import { nowSeconds } from '#lib/clock.ts'
import { unavailable } from '#lib/errors.ts'
import { backOff } from '#lib/table/backoff.ts'
import { below, type Clause, equals } from '#lib/table/expressions.ts'
import type { Refusal } from '#lib/table/items.ts'
import { keys, type TenantId } from '#lib/table/keys.ts'
import { change, create, erase, eraseAny, replace, type Step } from '#lib/table/transact.ts'
import type { Role, Scope, Session } from './actor.ts'

/**
 * A user as a token finds it, and the lock of its identity: every change raises `rev`, and goes through only where what it relies on
 * is as it was read.
 */
export type Principal = {
  tenant_id: TenantId
  user_id: number
  email: string
  role: Role
  rev: number
  /** Raised with every new password. A login of another one is out of date. */
  password_version: number
  /** The sessions mark: the `exp` that a JWT must exceed, in seconds of Unix time. */
  mark: number
  /** The SHA-256 of the one opaque token that counts, and its end in seconds of Unix time. */
  token_digest?: string | undefined
  token_expires_at?: number | undefined
  /** The end of each API key by its id, in seconds of Unix time. */
  api_keys: Record<string, number>
}

/** A user as an email finds it. It changes with the email and the password, and always together with the principal. */
export type Login = Pick<Principal, 'tenant_id' | 'user_id' | 'email' | 'password_version'> & { password_digest: string }

export type Password = Pick<Login, 'password_digest' | 'password_version'>

/** What an opaque token leads to; `expires_at` in seconds of Unix time. */
export type Token = Pick<Principal, 'tenant_id' | 'user_id' | 'role'> & { expires_at: number }

/** What an API key leads to: its text names its user and its id, and has that digest. */
export type KeyToken = Token & {
  id: number
  digest: string
  scope: Scope
  /** The day of its last use, as `YYYY-MM-DD`. */
  last_used_on?: string
}

/** Whether a session is still one of the user's. */
export const isCurrent = (session: Session, { token_digest, mark }: Principal): boolean =>
  'exp' in session ? session.exp > mark : session.token_digest === token_digest

/** The same as a condition on the principal. */
export const current = (session: Session): Clause =>
  'exp' in session ? below('mark', session.exp) : equals('token_digest', session.token_digest)

/** What may change of a principal. A path leads into `api_keys`. */
export type IdentityChange = Partial<Omit<Principal, 'tenant_id' | 'user_id' | 'rev'>> &
  Record<`api_keys.${number}`, number | undefined>

/** A principal as a refused change has found it: undefined where it is gone. */
type Seen = { principal: Principal | undefined }

/** What a change relies on is not so, mostly because another one came first. */
class IdentityMoved extends Error {
  override message = 'Other changes of the user keep coming first'
  readonly seen: Seen | undefined

  constructor(seen?: Seen) {
    super()
    this.seen = seen
  }
}

/** What a failed condition of a change means whose reads are out of date. */
export const moved = () => new IdentityMoved()

const movedTo: Refusal = (old) => new IdentityMoved({ principal: old as Principal | undefined })

const MAX_ATTEMPTS = 20
const PAUSE_MS = 5
const MAX_PAUSE_MS = 320

/**
 * Runs a change of an identity, again while others come first (bounded, from the second time on with jitter); a 503 where they
 * always do. A change that was refused has seen the principal, which saves the next attempt its read.
 */
export async function settle<T>(attempt: (seen?: Seen) => Promise<T>): Promise<T> {
  let seen: Seen | undefined
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(seen)
    } catch (error) {
      if (!(error instanceof IdentityMoved)) throw error
      if (tries >= MAX_ATTEMPTS) throw unavailable(error)
      seen = error.seen
      if (tries > 1) await backOff(tries - 1, PAUSE_MS, MAX_PAUSE_MS)
    }
  }
}

/** Steps: a new user can log in. */
export function createIdentity(user: Omit<Login, 'password_version'> & Pick<Principal, 'role'>): Step[] {
  const { password_digest, role, ...both } = { ...user, password_version: 1 }
  return [
    create(keys.principal(user.user_id), 'principal', { ...both, role, rev: 1, mark: 0, api_keys: {} }),
    create(keys.login(user.email, user.user_id), 'login', { ...both, password_digest }),
  ]
}

/** Step: a principal changes that is as it was seen. */
export const changeIdentity = (principal: Principal, changes: IdentityChange): Step =>
  changeBlind(principal.user_id, changes, [equals('rev', principal.rev)])

/** Step: the same blind: the clauses say all that the change relies on. */
export const changeBlind = (user_id: number, changes: IdentityChange, clauses: Clause[], refuse: Refusal = movedTo): Step =>
  change(keys.principal(user_id), { set: changes, add: { rev: 1 } }, clauses, refuse)

/** Step: another password fits from now on; `password_version` is the principal's with the same write. */
export const changePassword = ({ email, user_id }: Principal, password: Password): Step =>
  change(keys.login(email, user_id), { set: password }, [], moved)

/** Steps: another email finds the user from now on, and other things change with it. `login` is as it was read. */
export const moveLogin = (login: Login, changes: Partial<Password> & { email: string }): Step[] => [
  erase(keys.login(login.email, login.user_id), [], moved),
  create(keys.login(changes.email, login.user_id), 'login', { ...login, ...changes }, moved),
]

/** Steps: nobody can log in as the user any more, and every token of it is dead with the same write. */
export const eraseIdentity = (principal: Principal): Step[] => [
  erase(keys.principal(principal.user_id), [equals('rev', principal.rev)], moved),
  eraseAny(keys.login(principal.email, principal.user_id)),
  ...eraseTokens(principal),
]

/** Steps: every token of a user stops working, its API keys included. */
export const eraseTokens = (principal: Principal): Step[] => [
  ...eraseToken(principal.token_digest),
  ...Object.keys(principal.api_keys).map((id) => eraseAny(keys.apiKey(principal.user_id, Number(id)))),
]

/** Steps: an opaque token, if there is one, stops working. */
export const eraseToken = (digest: string | undefined): Step[] => (digest === undefined ? [] : [eraseAny(keys.token(digest))])

/** Steps: every token that counts stands for another role from now on. */
export function changeTokenRole(principal: Principal, role: Role): Step[] {
  const { tenant_id, user_id, token_digest, token_expires_at = 0, api_keys } = principal
  const [keysThatCount] = byExpiry(api_keys)
  const token: Token = { tenant_id, user_id, role, expires_at: token_expires_at }
  // Not an update: the table's TTL may take the item away at any time, and `rev` says already that the token is still that one.
  const session =
    token_digest === undefined || token_expires_at <= nowSeconds() ? [] : [replace(keys.token(token_digest), 'token', token)]
  return [...session, ...keysThatCount.map(([id]) => change(keys.apiKey(user_id, Number(id)), { set: { role } }, [], moved))]
}

/** API keys with their ends: those that count, and those that do not any more. */
export function byExpiry(
  api_keys: Principal['api_keys'],
): [current: [id: string, end: number][], expired: [id: string, end: number][]] {
  const now = nowSeconds()
  const all = Object.entries(api_keys)
  return [all.filter(([, end]) => end > now), all.filter(([, end]) => end <= now)]
}
