import type { Actor } from '#lib/auth/actor.ts'
import { changeIdentity, isCurrent, type KeyRef, type Principal, settle, type Token } from '#lib/auth/identity.ts'
import { digestToken, newKey } from '#lib/auth/tokens.ts'
import { nowSeconds } from '#lib/clock.ts'
import { DomainFailure, failure } from '#lib/errors.ts'
import { withNewId } from '#lib/ids.ts'
import { getItem } from '#lib/table/items.ts'
import { collections, keys } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, eraseAny, type Step, transact } from '#lib/table/transact.ts'
import { type ApiKey, ApiKeyRecord, type CreatedApiKey, type NewApiKey } from './apikey.ts'

/** What one transaction can end together with everything else of a user. */
const MAX_KEYS = 20
const LIFETIME_MS = 90 * 86_400_000

const toApiKey = ({ last_used_on, expires_at, ...entry }: ApiKeyRecord): ApiKey => ({
  ...entry,
  expires_at: new Date(expires_at * 1000).toISOString(),
  last_used_at: last_used_on === undefined ? null : `${last_used_on}T00:00:00.000Z`,
})

/** The caller's own keys. */
export async function listApiKeys(actor: Actor, query: PageQuery): Promise<Page<ApiKey>> {
  const { items, next } = await readPage<ApiKeyRecord>(collections.apiKeys(actor.tenant_id, actor.id), ApiKeyRecord, query)
  return { items: items.filter(({ expires_at }) => expires_at > nowSeconds()).map(toApiKey), next }
}

/** Makes a key for the caller. Only its digest is kept: this is the one time that it is seen. */
export function createApiKey(actor: Actor, input: NewApiKey): Promise<CreatedApiKey> {
  const now = Date.now()
  const token = newKey()
  const { name, scope, expires_at = now + LIFETIME_MS } = input
  return settle(() =>
    withNewId(now, async (id) => {
      const principal = await getPrincipal(actor)
      // A session that has ended since it was let in must not leave a key behind.
      if (!actor.session || !isCurrent(actor.session, principal)) throw failure('Unauthorized')
      const ref: KeyRef = { id, digest: digestToken(token), scope, expires_at: Math.ceil(expires_at / 1000) }
      const entry: ApiKeyRecord = { id, name, scope, created_at: new Date(now).toISOString(), expires_at: ref.expires_at }
      await transact(keyAdded(principal, ref, entry))
      return { ...toApiKey(entry), token }
    }),
  )
}

function keyAdded(principal: Principal, ref: KeyRef, entry: ApiKeyRecord): Step[] {
  const { tenant_id, user_id, role, api_keys = [] } = principal
  const current = api_keys.filter(({ expires_at }) => expires_at > nowSeconds())
  if (current.length >= MAX_KEYS) throw new DomainFailure(`No more than ${MAX_KEYS} keys can be kept`)
  const token: Token = { tenant_id, user_id, role, scope: ref.scope, key_id: ref.id, expires_at: ref.expires_at }
  return [
    create(keys.apiKey(tenant_id, user_id, ref.id), 'key', entry),
    create(keys.token(ref.digest), 'token', token),
    ...changeIdentity(principal, { api_keys: [...current, ref] }),
  ]
}

/** Ends a key of the caller's. Throws a 404 where there is none of that id. */
export function deleteApiKey(actor: Actor, id: number): Promise<void> {
  return settle(async () => {
    const principal = await getPrincipal(actor)
    const { tenant_id, user_id, api_keys = [] } = principal
    const ended = api_keys.find((ref) => ref.id === id)
    if (!ended) throw failure('NotFound')
    await transact([
      ...changeIdentity(principal, { api_keys: api_keys.filter((ref) => ref !== ended) }),
      eraseAny(keys.token(ended.digest)),
      eraseAny(keys.apiKey(tenant_id, user_id, id)),
    ])
  })
}

async function getPrincipal(actor: Actor): Promise<Principal> {
  const principal = await getItem<Principal>(keys.principal(actor.id))
  if (!principal) throw failure('Unauthorized')
  return principal
}
