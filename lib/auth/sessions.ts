import { authConfig } from '#lib/config.ts'
import { DomainFailure, failure } from '#lib/errors.ts'
import { isEmail, normalizeEmail } from '#lib/fields.ts'
import { getItem, queryItems } from '#lib/table/items.ts'
import { collections, keys, type TenantId } from '#lib/table/keys.ts'
import { create, type Step, transact } from '#lib/table/transact.ts'
import type { Actor } from './actor.ts'
import type { Credentials } from './credentials.ts'
import { changeIdentity, eraseToken, type Login, nowSeconds, type Principal, settle, type Token } from './identity.ts'
import { signJwt } from './jwt.ts'
import { passwordFits } from './passwords.ts'
import { digestToken, newToken } from './tokens.ts'

/** How many users of one email are tried without a `tenant_id`: the oldest, so that nobody can crowd out an older account. */
const MAX_CANDIDATES = 5

/** Exchanges credentials for an opaque token, which replaces the user's previous one, or for a JWT where `LOGIN_TOKEN` says so. */
export async function logIn(credentials: Credentials): Promise<{ token: string }> {
  if (authConfig().LOGIN_TOKEN === 'jwt') return { token: (await openSession(credentials)).jwt }
  const fits = rememberFits(credentials.password)
  return settle(async () => {
    const login = await theOneThatFits(await findLogins(credentials), fits)
    const token = newToken()
    await transact(replaceToken(login, digestToken(token)))
    return { token }
  })
}

/** Exchanges credentials for a JWT and leaves the opaque token alone. */
export async function openSession(credentials: Credentials): Promise<{ jwt: string }> {
  // Taken before the read: a password that changes while its old form is being hashed moves the mark to this token's exp or beyond.
  const expires = nowSeconds() + authConfig().JWT_LIFETIME_SECONDS
  const login = await theOneThatFits(await findLogins(credentials), rememberFits(credentials.password))
  return { jwt: await signJwt({ user_id: login.user_id, exp: Math.max(expires, login.mark + 1) }) }
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

async function findLogins({ email, tenant_id }: Credentials): Promise<Login[]> {
  const address = normalizeEmail(email)
  if (!isEmail(address)) return []
  if (tenant_id !== undefined) return findLoginIn(tenant_id as TenantId, address)
  const { pk, prefix } = collections.logins(address)
  return (await queryItems<Login>(pk, { from: prefix, to: `${prefix}~`, limit: MAX_CANDIDATES })).items
}

async function findLoginIn(tenant: TenantId, address: string): Promise<Login[]> {
  const claim = await getItem<{ user_id: number }>(keys.claim(tenant, address))
  const login = claim && (await getItem<Login>(keys.login(address, claim.user_id)))
  return login ? [login] : []
}

type Fits = (digest: string | undefined) => Promise<boolean>

/** Hashing costs most of a login: a digest that is read again is not hashed again. */
function rememberFits(password: string): Fits {
  const known = new Map<string | undefined, Promise<boolean>>()
  return (digest) => {
    const fits = known.get(digest) ?? passwordFits(password, digest)
    known.set(digest, fits)
    return fits
  }
}

async function theOneThatFits(logins: Login[], fits: Fits): Promise<Login> {
  // Nobody has the email: the same work, so that the time does not tell.
  if (logins.length === 0) await fits(undefined)
  const tried = await Promise.all(logins.map(async (login) => ((await fits(login.password_digest)) ? [login] : [])))
  const [login, ...others] = tried.flat()
  if (!login) throw failure('InvalidCredentials')
  if (others.length === 0) return login
  throw new DomainFailure('Email belongs to several tenants', {
    details: { tenant_ids: [login, ...others].map(({ tenant_id }) => tenant_id) },
  })
}
