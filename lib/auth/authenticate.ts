import { nowSeconds } from '#lib/clock.ts'
import { authConfig } from '#lib/config.ts'
import { describeError, log } from '#lib/log.ts'
import { exists } from '#lib/table/expressions.ts'
import { getItem, touchItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import type { Actor } from './actor.ts'
import { isCurrent, type Principal, type Token } from './identity.ts'
import { verifyJwt } from './jwt.ts'
import { digestToken, isToken } from './tokens.ts'

/** Who a bearer token or an API key stands for, in one read; undefined where it stands for nobody (any more). */
export async function authenticate(bearer: string): Promise<Actor | undefined> {
  // Whatever kind of token comes first: a function whose environment is wrong must say so at its first call.
  authConfig()
  if (isToken(bearer)) return byToken(digestToken(bearer))
  return byJwt(bearer)
}

const actorOf = ({ user_id, tenant_id, role }: Pick<Token, 'user_id' | 'tenant_id' | 'role'>) => ({
  id: user_id,
  tenant_id,
  role,
})

async function byToken(digest: string): Promise<Actor | undefined> {
  const token = await getItem<Token>(keys.token(digest))
  // The table's TTL deletes late.
  if (!token || token.expires_at <= nowSeconds()) return undefined
  if (token.key_id !== undefined) await noteUse(digest, token, token.key_id)
  return { ...actorOf(token), ...(token.scope ? { scope: token.scope } : { session: { token_digest: digest } }) }
}

async function byJwt(jwt: string): Promise<Actor | undefined> {
  const claims = await verifyJwt(jwt)
  const principal = claims && (await getItem<Principal>(keys.principal(claims.user_id)))
  const session = { exp: claims?.exp ?? 0 }
  return principal && isCurrent(session, principal) ? { ...actorOf(principal), session } : undefined
}

/** Keeps the day on which an API key was used last: one write a day, and no reason to refuse the request where it fails. */
async function noteUse(digest: string, { tenant_id, user_id, last_used_on }: Token, id: number): Promise<void> {
  const today = new Date().toISOString().slice(0, 10)
  if (last_used_on === today) return
  const change = { set: { last_used_on: today } }
  const noted = [keys.token(digest), keys.apiKey(tenant_id, user_id, id)].map((key) => touchItem(key, change, [exists]))
  for (const result of await Promise.allSettled(noted))
    if (result.status === 'rejected')
      log('warn', 'The use of an API key was not noted', { user_id, error: describeError(result.reason) })
}
