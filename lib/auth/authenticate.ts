import { nowSeconds } from '#lib/clock.ts'
import { authConfig } from '#lib/config.ts'
import { describeError, log } from '#lib/log.ts'
import { exists } from '#lib/table/expressions.ts'
import { getItem, touchItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import type { Actor } from './actor.ts'
import { isCurrent, type KeyToken, type Principal, type Token } from './identity.ts'
import { verifyJwt } from './jwt.ts'
import { digestToken, isToken, readKey } from './tokens.ts'

/** Who a bearer token or an API key stands for, in one read; undefined where it stands for nobody (any more). */
export async function authenticate(bearer: string): Promise<Actor | undefined> {
  // Whatever kind of token comes first: a function whose environment is wrong must say so at its first call.
  authConfig()
  if (isToken(bearer)) return byToken(digestToken(bearer))
  const key = readKey(bearer)
  return key ? byApiKey(key, digestToken(bearer)) : byJwt(bearer)
}

const actorOf = ({ user_id, tenant_id, role }: Pick<Token, 'user_id' | 'tenant_id' | 'role'>) => ({
  id: user_id,
  tenant_id,
  role,
})

/** The table's TTL deletes late. */
const hasEnded = ({ expires_at }: Token): boolean => expires_at <= nowSeconds()

async function byToken(token_digest: string): Promise<Actor | undefined> {
  const token = await getItem<Token>(keys.token(token_digest))
  return token && !hasEnded(token) ? { ...actorOf(token), session: { token_digest } } : undefined
}

async function byApiKey({ user_id, id }: { user_id: number; id: number }, digest: string): Promise<Actor | undefined> {
  const key = await getItem<KeyToken>(keys.apiKey(user_id, id))
  if (key?.digest !== digest || hasEnded(key)) return undefined
  await noteUse(key)
  return { ...actorOf(key), scope: key.scope }
}

async function byJwt(jwt: string): Promise<Actor | undefined> {
  const claims = await verifyJwt(jwt)
  const principal = claims && (await getItem<Principal>(keys.principal(claims.user_id)))
  if (!principal) return undefined
  const session = { exp: claims.exp, token_digest: principal.token_digest }
  return isCurrent(session, principal) ? { ...actorOf(principal), session } : undefined
}

/** Keeps the day on which an API key was used last: one write a day, and no reason to refuse the request where it fails. */
async function noteUse({ user_id, id, last_used_on }: KeyToken): Promise<void> {
  const today = new Date().toISOString().slice(0, 10)
  if (last_used_on === today) return
  try {
    await touchItem(keys.apiKey(user_id, id), { set: { last_used_on: today } }, [exists])
  } catch (error) {
    log('warn', 'The use of an API key was not noted', { user_id, error: describeError(error) })
  }
}
