import { authConfig } from '#lib/config.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import type { Actor } from './actor.ts'
import { nowSeconds, type Principal, type Token } from './identity.ts'
import { verifyJwt } from './jwt.ts'
import { digestToken, isToken } from './tokens.ts'

/** Who a bearer token stands for, in one read; undefined where it stands for nobody (any more). */
export async function authenticate(bearer: string): Promise<Actor | undefined> {
  // Whatever kind of token comes first: a function whose environment is wrong must say so at its first call.
  authConfig()
  const known = await (isToken(bearer) ? byToken(bearer) : byJwt(bearer))
  return known && { id: known.user_id, tenant_id: known.tenant_id, role: known.role }
}

async function byToken(token: string): Promise<Token | undefined> {
  const found = await getItem<Token>(keys.token(digestToken(token)))
  // The table's TTL deletes late.
  return found && found.expires_at > nowSeconds() ? found : undefined
}

async function byJwt(jwt: string): Promise<Principal | undefined> {
  const claims = await verifyJwt(jwt)
  const principal = claims && (await getItem<Principal>(keys.principal(claims.user_id)))
  return principal && claims.exp > principal.mark ? principal : undefined
}
