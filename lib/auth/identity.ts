import { nowSeconds } from '#lib/clock.ts'
import { unavailable } from '#lib/errors.ts'
import { backOff } from '#lib/table/backoff.ts'
import { equals } from '#lib/table/expressions.ts'
import { keys, type TenantId } from '#lib/table/keys.ts'
import { change, create, erase, eraseAny, replace, type Step } from '#lib/table/transact.ts'
import type { Role, Scope, Session } from './actor.ts'

/** What a user's login and principal both know. */
type Identity = {
  tenant_id: TenantId
  user_id: number
  role: Role
  /** Raised by every change. A change goes through only where it is as it was read: the login is the identity's lock. */
  rev: number
  /** The sessions mark: the `exp` that a JWT must exceed, in seconds of Unix time. */
  mark: number
  /** The SHA-256 of the one opaque token that counts, and its end in seconds of Unix time. */
  token_digest?: string | undefined
  token_expires_at?: number | undefined
}

/** A user as an email finds it. */
export type Login = Identity & { email: string; password_digest: string }

/** An API key as its user's identity knows it; `expires_at` in seconds of Unix time. */
export type KeyRef = { id: number; digest: string; scope: Scope; expires_at: number }

/** A user as a token finds it. */
export type Principal = Identity & { email: string; api_keys?: KeyRef[] }

/** Whether a session is still one of the user's. */
export const isCurrent = (session: Session, { token_digest, mark }: Principal): boolean =>
  'exp' in session ? session.exp > mark : session.token_digest === token_digest

/** What an opaque token or an API key leads to; `expires_at` in seconds of Unix time. */
export type Token = Pick<Identity, 'tenant_id' | 'user_id' | 'role'> & {
  expires_at: number
  /** An API key's alone. */
  scope?: Scope
  key_id?: number
  /** The day of its last use, as `YYYY-MM-DD`. */
  last_used_on?: string
}

/** What may change of an identity that keeps its email. */
export type IdentityChange = Partial<
  Pick<Login, 'role' | 'password_digest' | 'mark' | 'token_digest' | 'token_expires_at'> & Pick<Principal, 'api_keys'>
>

/** Another change came first: read again. */
class IdentityMoved extends Error {
  override message = 'Other changes of the user keep coming first'
}

/** What a failed condition of a change means whose reads are out of date. */
export const moved = () => new IdentityMoved()

const MAX_ATTEMPTS = 20
const PAUSE_MS = 5
const MAX_PAUSE_MS = 320

/** Runs a change of an identity from its reads on, again while others come first (bounded, with jitter); a 503 where they always do. */
export async function settle<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof IdentityMoved)) throw error
      if (tries >= MAX_ATTEMPTS) throw unavailable(error)
      await backOff(tries, PAUSE_MS, MAX_PAUSE_MS)
    }
  }
}

/** Steps: a new user can log in. */
export function createIdentity(user: Pick<Login, 'tenant_id' | 'user_id' | 'email' | 'role' | 'password_digest'>): Step[] {
  const { password_digest, ...principal } = { ...user, rev: 1, mark: 0 }
  return [
    create(keys.principal(user.user_id), 'principal', principal),
    create(keys.login(user.email, user.user_id), 'login', { ...principal, password_digest }),
  ]
}

/** Steps: login and principal change together. */
export function changeIdentity({ email, user_id, rev }: Principal, changes: IdentityChange): Step[] {
  const { password_digest, api_keys, ...both } = changes
  const asRead = [equals('rev', rev)]
  const onLogin = password_digest === undefined ? both : { ...both, password_digest }
  const onPrincipal = api_keys === undefined ? both : { ...both, api_keys }
  return [
    change(keys.login(email, user_id), { set: onLogin, add: { rev: 1 } }, asRead, moved),
    change(keys.principal(user_id), { set: onPrincipal, add: { rev: 1 } }, asRead, moved),
  ]
}

/** Steps: the identity moves to another email, and changes in the same write. `login` is as it was read. */
export function moveIdentity(login: Login, email: string, changes: IdentityChange): Step[] {
  const { api_keys, ...both } = changes
  const { password_digest, ...principal } = { ...login, ...both, email, rev: login.rev + 1 }
  const asRead = [equals('rev', login.rev)]
  return [
    erase(keys.login(login.email, login.user_id), asRead, moved),
    create(keys.login(email, login.user_id), 'login', { ...principal, password_digest }, moved),
    change(keys.principal(login.user_id), { set: api_keys ? { ...principal, api_keys } : principal }, asRead, moved),
  ]
}

/** Steps: nobody can log in as the user any more, and every token of it is dead with the same write. */
export const eraseIdentity = (principal: Principal): Step[] => [
  erase(keys.login(principal.email, principal.user_id), [equals('rev', principal.rev)], moved),
  erase(keys.principal(principal.user_id), [equals('rev', principal.rev)], moved),
  ...eraseToken(principal.token_digest),
  ...eraseKeys(principal),
]

/** Steps: an opaque token, if there is one, stops working. */
export const eraseToken = (digest: string | undefined): Step[] => (digest === undefined ? [] : [eraseAny(keys.token(digest))])

/** Steps: all API keys stop working, and are gone from the list. */
export const eraseKeys = ({ tenant_id, user_id, api_keys = [] }: Principal): Step[] =>
  api_keys.flatMap(({ id, digest }) => [eraseAny(keys.token(digest)), eraseAny(keys.apiKey(tenant_id, user_id, id))])

/** Steps: every token that counts stands for another role from now on. */
export function changeTokenRole(principal: Principal, role: Role): Step[] {
  const { tenant_id, user_id, token_digest, token_expires_at = 0, api_keys = [] } = principal
  const session = token_digest === undefined ? [] : [{ digest: token_digest, expires_at: token_expires_at }]
  const byKey = api_keys.map(({ id, ...rest }) => ({ ...rest, key_id: id }))
  // Not updates: the table's TTL may take the items away at any time, and `rev` says already that the tokens are still those.
  return [...session, ...byKey]
    .filter(({ expires_at }) => expires_at > nowSeconds())
    .map(({ digest, ...token }) => replace(keys.token(digest), 'token', { tenant_id, user_id, role, ...token }))
}
