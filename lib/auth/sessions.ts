import { nowSeconds } from '#lib/clock.ts'
import { authConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import { create, type Step, transact } from '#lib/table/transact.ts'
import type { Actor } from './actor.ts'
import type { Credentials } from './credentials.ts'
import { changeIdentity, eraseToken, type Login, type Principal, settle, type Token } from './identity.ts'
import { signJwt } from './jwt.ts'
import { digestToken, newToken } from './tokens.ts'
import { verifyCredentials } from './verify.ts'

/** Exchanges credentials for an opaque token, which replaces the user's previous one, or for a JWT where `LOGIN_TOKEN` says so. */
export async function logIn(credentials: Credentials, source: string): Promise<{ token: string }> {
  if (authConfig().LOGIN_TOKEN === 'jwt') return { token: (await openSession(credentials, source)).jwt }
  const { login, forgiven } = await verifyCredentials(credentials, source)
  const [token] = await Promise.all([giveToken(login), forgiven])
  return { token }
}

function giveToken(verified: Login): Promise<string> {
  let read: Login | undefined = verified
  return settle(async () => {
    const login = read ?? (await getItem<Login>(keys.login(verified.email, verified.user_id)))
    read = undefined
    if (login?.password_digest !== verified.password_digest) throw failure('InvalidCredentials')
    const token = newToken()
    await transact(replaceToken(login, digestToken(token)))
    return token
  })
}

/** Exchanges credentials for a JWT and leaves the opaque token alone. */
export async function openSession(credentials: Credentials, source: string): Promise<{ jwt: string }> {
  // Taken before the read: a password that changes while its old form is being hashed moves the mark to this token's exp or beyond.
  const expires = nowSeconds() + authConfig().JWT_LIFETIME_SECONDS
  const { login, forgiven } = await verifyCredentials(credentials, source)
  const exp = Math.max(expires, login.mark + 1)
  const [jwt] = await Promise.all([signJwt({ user_id: login.user_id, exp }), forgiven])
  return { jwt }
}

/** Ends all sessions of a user, opaque and JWT. */
export function endSessions(actor: Actor): Promise<void> {
  return settle(async () => {
    const principal = await getItem<Principal>(keys.principal(actor.id))
    if (!principal) throw failure('Unauthorized')
    await transact(endSessionsOf(principal))
  })
}

const endSessionsOf = (principal: Principal): Step[] => [
  ...changeIdentity(principal, ended(principal)),
  ...eraseToken(principal.token_digest),
]

/**
 * What an identity is without its sessions: the mark ends every JWT given out so far, also one of this very second, whose `exp`
 * is beyond the usual; no opaque token counts.
 */
export const ended = ({ mark }: Principal) => ({
  mark: Math.max(mark + 1, nowSeconds() + authConfig().JWT_LIFETIME_SECONDS),
  token_digest: undefined,
  token_expires_at: undefined,
})

function replaceToken(login: Login, digest: string): Step[] {
  const { tenant_id, user_id, role } = login
  const expires_at = nowSeconds() + authConfig().TOKEN_LIFETIME_SECONDS
  const token: Token = { tenant_id, user_id, role, expires_at }
  return [
    ...changeIdentity(login, { token_digest: digest, token_expires_at: expires_at }),
    ...eraseToken(login.token_digest),
    create(keys.token(digest), 'token', token),
  ]
}
