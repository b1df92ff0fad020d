import { nowSeconds } from '#lib/clock.ts'
import { authConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'
import { below, equals, lacks } from '#lib/table/expressions.ts'
import { touchItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import { create, type Step, transact } from '#lib/table/transact.ts'
import type { Actor, Session } from './actor.ts'
import type { Credentials } from './credentials.ts'
import { changeBlind, changeIdentity, eraseToken, type Principal, settle, type Token } from './identity.ts'
import { signJwt } from './jwt.ts'
import { digestToken, newToken } from './tokens.ts'
import { verifyCredentials } from './verify.ts'

/** Exchanges credentials for an opaque token, which replaces the user's previous one, or for a JWT where `LOGIN_TOKEN` says so. */
export async function logIn(credentials: Credentials, source: string): Promise<{ token: string }> {
  if (authConfig().LOGIN_TOKEN === 'jwt') return { token: (await openSession(credentials, source)).jwt }
  const { principal, forgiven } = await verifyCredentials(credentials, source)
  const [token] = await Promise.all([giveToken(principal), forgiven])
  return { token }
}

function giveToken(verified: Principal): Promise<string> {
  return settle(async ({ principal } = { principal: verified }) => {
    if (principal?.password_version !== verified.password_version) throw failure('InvalidCredentials')
    const token = newToken()
    await transact(replaceToken(principal, digestToken(token)))
    return token
  })
}

/** Exchanges credentials for a JWT and leaves the opaque token alone. */
export async function openSession(credentials: Credentials, source: string): Promise<{ jwt: string }> {
  // Taken before the read: a password that changes while its old form is being hashed moves the mark to this token's exp or beyond,
  // if need be with `passMark`.
  const expires = nowSeconds() + authConfig().JWT_LIFETIME_SECONDS
  const { principal, forgiven } = await verifyCredentials(credentials, source)
  const exp = Math.max(expires, principal.mark + 1)
  const [jwt] = await Promise.all([signJwt({ user_id: principal.user_id, exp }), forgiven])
  return { jwt }
}

/** Ends all sessions of a user, opaque and JWT. */
export function endSessions({ id, session }: Actor): Promise<void> {
  return settle(async (seen) => {
    const begun = nowSeconds()
    await transact(seen ? sessionsEnded(seen.principal) : sessionsEndedBlind(id, session))
    await passMark(id, begun)
  })
}

function sessionsEnded(principal: Principal | undefined): Step[] {
  if (!principal) throw failure('Unauthorized')
  return [changeIdentity(principal, ended(principal)), ...eraseToken(principal.token_digest)]
}

/** Relied on: the user's opaque token is the one that the session knows of, and the mark is not ahead of time. */
function sessionsEndedBlind(user_id: number, session: Session | undefined): Step[] {
  const token_digest = session?.token_digest
  const changes = ended({ mark: 0 })
  const asKnown = token_digest === undefined ? lacks('token_digest') : equals('token_digest', token_digest)
  return [changeBlind(user_id, changes, [asKnown, below('mark', changes.mark)]), ...eraseToken(token_digest)]
}

/**
 * Moves a mark once more where the clock has moved on since it was taken (`begun`, in seconds): what read the principal before the
 * write that moved it may have given out a JWT of a later second meanwhile.
 */
export async function passMark(user_id: number, begun: number): Promise<void> {
  const now = nowSeconds()
  if (now === begun) return
  const mark = now + authConfig().JWT_LIFETIME_SECONDS
  await touchItem(keys.principal(user_id), { set: { mark }, add: { rev: 1 } }, [below('mark', mark)])
}

/**
 * What an identity is without its sessions: the mark ends every JWT given out so far, also one of this very second, whose `exp`
 * is beyond the usual; no opaque token counts.
 */
export const ended = ({ mark }: Pick<Principal, 'mark'>) => ({
  mark: Math.max(mark + 1, nowSeconds() + authConfig().JWT_LIFETIME_SECONDS),
  token_digest: undefined,
  token_expires_at: undefined,
})

function replaceToken(principal: Principal, digest: string): Step[] {
  const { tenant_id, user_id, role } = principal
  const expires_at = nowSeconds() + authConfig().TOKEN_LIFETIME_SECONDS
  const token: Token = { tenant_id, user_id, role, expires_at }
  return [
    changeIdentity(principal, { token_digest: digest, token_expires_at: expires_at }),
    ...eraseToken(principal.token_digest),
    create(keys.token(digest), 'token', token),
  ]
}
