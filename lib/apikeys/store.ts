import type { Actor, Session } from '#lib/auth/actor.ts'
import {
  byExpiry,
  changeBlind,
  changeIdentity,
  current,
  isCurrent,
  type KeyToken,
  type Principal,
  settle,
} from '#lib/auth/identity.ts'
import { digestToken, newKey } from '#lib/auth/tokens.ts'
import { nowSeconds } from '#lib/clock.ts'
import { DomainFailure, failure } from '#lib/errors.ts'
import { withNewId } from '#lib/ids.ts'
import { equals, fewerThan, has } from '#lib/table/expressions.ts'
import { collections, keys } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, eraseAny, type Step, transact } from '#lib/table/transact.ts'
import { type ApiKey, ApiKeyRecord, type CreatedApiKey, type NewApiKey } from './apikey.ts'

/** One transaction ends them all together with everything else of a user, and takes 100 items. */
const MAX_KEYS = 20
const LIFETIME_MS = 90 * 86_400_000

const toApiKey = ({ last_used_on, expires_at, ...entry }: ApiKeyRecord): ApiKey => ({
  ...entry,
  expires_at: new Date(expires_at * 1000).toISOString(),
  last_used_at: last_used_on === undefined ? null : `${last_used_on}T00:00:00.000Z`,
})

/** The caller's own keys. */
export async function listApiKeys(actor: Actor, query: PageQuery): Promise<Page<ApiKey>> {
  const { items, next } = await readPage<ApiKeyRecord>(collections.apiKeys(actor.id), ApiKeyRecord, query)
  return { items: items.filter(({ expires_at }) => expires_at > nowSeconds()).map(toApiKey), next }
}

/** Makes a key for the caller. Only its digest is kept: this is the one time that it is seen. */
export function createApiKey(actor: Actor, input: NewApiKey): Promise<CreatedApiKey> {
  const { session } = actor
  if (!session) throw failure('LoginRequired')
  const now = Date.now()
  const { name, scope, expires_at = now + LIFETIME_MS } = input
  const record = { name, scope, created_at: new Date(now).toISOString(), expires_at: Math.ceil(expires_at / 1000) }
  return settle(async (seen) => {
    const { tenant_id, role } = seen?.principal ?? actor
    return withNewId(now, async (id) => {
      const token = newKey(actor.id, id)
      const entry = { ...record, id }
      const key: KeyToken = { ...entry, tenant_id, user_id: actor.id, role, digest: digestToken(token) }
      await transact([
        ...(seen ? keyAdded(session, seen.principal, key) : [keyAddedBlind(session, key)]),
        create(keys.apiKey(actor.id, id), 'key', key),
      ])
      return { ...toApiKey(entry), token }
    })
  })
}

/** Relied on: the session that makes the key has not ended since it was let in, its role is the user's, there is room. */
const keyAddedBlind = (session: Session, { user_id, id, role, expires_at }: KeyToken): Step =>
  changeBlind(user_id, { [`api_keys.${id}`]: expires_at }, [
    current(session),
    equals('role', role),
    fewerThan('api_keys', MAX_KEYS),
  ])

/** The same by what was seen. Keys that have expired make room. */
function keyAdded(session: Session, principal: Principal | undefined, { id, expires_at }: KeyToken): Step[] {
  if (!principal || !isCurrent(session, principal)) throw failure('Unauthorized')
  const [kept, expired] = byExpiry(principal.api_keys)
  if (kept.length >= MAX_KEYS) throw new DomainFailure(`No more than ${MAX_KEYS} keys can be kept`)
  return [
    changeIdentity(principal, { api_keys: Object.fromEntries([...kept, [id, expires_at]]) }),
    ...expired.map(([key]) => eraseAny(keys.apiKey(principal.user_id, Number(key)))),
  ]
}

/** Ends a key of the caller's. Throws a 404 where there is none of that id. */
export const deleteApiKey = (actor: Actor, id: number): Promise<void> =>
  transact([
    changeBlind(actor.id, { [`api_keys.${id}`]: undefined }, [has(`api_keys.${id}`)], (principal) =>
      failure(principal ? 'NotFound' : 'Unauthorized'),
    ),
    eraseAny(keys.apiKey(actor.id, id)),
  ])
