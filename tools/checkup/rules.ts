import { purge } from '#lib/cascade/purge.ts'
import { nowSeconds } from '#lib/clock.ts'
import { markAnchor, PURGING_SECONDS } from '#lib/table/anchors.ts'
import { equals } from '#lib/table/expressions.ts'
import { deleteItem, type Item } from '#lib/table/items.ts'
import { ANCHOR, anchors, type Key, keys, type TenantId, tenantOf } from '#lib/table/keys.ts'
import { create, transact } from '#lib/table/transact.ts'
import { Problem } from '#tools/problem.ts'

/** An item as it stands in the table. */
export type Stored = Item & Key

/** Something that is not as it should be. Without `mend`, a person has to decide. */
export type Finding = {
  kind: Kind
  key: Key
  says: string
  mend?: () => Promise<unknown>
  /** the anchor that mending puts back */
  restores?: Key
}

/** In the order in which they are mended: an anchor that is put back makes no orphans any more. */
export const KINDS = ['no anchor', 'no record', 'orphans', 'unfinished', 'dead identity', 'no identity'] as const

export type Kind = (typeof KINDS)[number]

/** What another item (or the item itself) must be for an item to be in order. */
export type Need = { key: Key; isMet: (found: Item | undefined) => boolean; finding: Finding }

/** A cascade that takes longer than this has stopped: it is given up after six hours, and mostly takes seconds. */
const UNFINISHED_MS = 6 * 3_600_000

const isThere = (found: Item | undefined): boolean => found !== undefined
const neverLate = () => false

/** What an item needs, by what it is. */
export function needsOf(item: Stored): Need[] {
  if (item.sk === ANCHOR) return anchorNeeds(item)
  return [...insideNeeds(item), ...(RULES[String(item.type)]?.(item) ?? [])]
}

/** Whatever stands in a tenant's partition is reached, and removed, through the partition's anchor. */
function insideNeeds({ pk, sk }: Stored): Need[] {
  if (tenantOf(pk) === undefined) return []
  const says = `${pk} has no anchor: what it holds cannot be reached, and is removed`
  return [
    {
      key: { pk, sk: ANCHOR },
      isMet: isThere,
      finding: { kind: 'orphans', key: { pk, sk }, says, mend: () => purge(pk, neverLate) },
    },
  ]
}

function anchorNeeds(anchor: Stored): Need[] {
  const { pk, sk } = anchor
  if (anchor.purging === true) return [unfinished(anchor)]
  const key = recordOf(anchor)
  const says = `${pk} stands without its record: it is removed with all that it holds`
  const mend = async () => {
    await markAnchor({ pk, sk })
    await purge(pk, neverLate)
  }
  return key ? [{ key, isMet: isThere, finding: { kind: 'no record', key: { pk, sk }, says, mend } }] : []
}

function unfinished({ pk, sk }: Stored): Need {
  const markedAt = (found: Item | undefined) => (Number(found?.expires_at) - PURGING_SECONDS) * 1000
  const says = `${pk} was deleted hours ago and is still there: its deletion is finished`
  return {
    key: { pk, sk },
    isMet: (found) => found?.purging !== true || Date.now() - markedAt(found) < UNFINISHED_MS,
    finding: { kind: 'unfinished', key: { pk, sk }, says, mend: () => purge(pk, neverLate) },
  }
}

/** Where the record of an anchor stands. */
function recordOf({ pk, user_id, blog_id }: Stored): Key | undefined {
  const tenant = tenantOf(pk) as TenantId
  const [, , kind, id] = pk.split('#')
  if (kind === undefined) return keys.tenant(tenant)
  if (kind === 'USER') return keys.user(tenant, Number(id))
  if (kind === 'BLOG') return keys.blog(tenant, Number(user_id), Number(id))
  return kind === 'POST' ? keys.post(tenant, Number(blog_id), Number(id)) : undefined
}

const RULES: Record<string, (item: Stored) => Need[]> = {
  tenant: ({ pk, sk, id }) => [needsAnchor({ pk, sk }, anchors.tenant(Number(id) as TenantId), { tenant_id: id })],
  user: ({ pk, sk, id }) => [
    needsAnchor({ pk, sk }, anchors.user(tenantOf(pk) as TenantId, Number(id)), { user_id: id }),
    {
      key: keys.principal(Number(id)),
      isMet: isThere,
      finding: { kind: 'no identity', key: { pk, sk }, says: `user ${id} can never log in: delete it, or make it anew` },
    },
  ],
  blog: ({ pk, sk, id, user_id }) => [
    needsAnchor({ pk, sk }, anchors.blog(tenantOf(pk) as TenantId, Number(id)), { blog_id: id, user_id }),
  ],
  post: ({ pk, sk, id, blog_id, blog_user_id }) => [
    needsAnchor({ pk, sk }, anchors.post(tenantOf(pk) as TenantId, Number(id)), { blog_id, user_id: blog_user_id }),
  ],
  claim: ({ pk, sk, user_id }) => [
    dead({ pk, sk, user_id }, keys.user(tenantOf(pk) as TenantId, Number(user_id)), 'claims an email for nobody'),
  ],
  login: ({ pk, sk, user_id, email }) => [
    dead({ pk, sk, user_id }, keys.principal(Number(user_id)), 'is a login of nobody', (found) => found?.email === email),
  ],
  principal: ({ pk, sk, tenant_id, user_id }) => [
    dead({ pk, sk, user_id }, keys.user(Number(tenant_id) as TenantId, Number(user_id)), 'is an identity of nobody'),
  ],
  token: (token) =>
    heldNeeds(token, 'is a token that nobody holds', (found) => found?.token_digest === token.pk.replace(/^TOKEN#/, '')),
  key: (key) =>
    heldNeeds(key, 'is an API key that nobody holds', (found) => Object.hasOwn(found?.api_keys ?? {}, Number(key.id))),
}

function needsAnchor(key: Key, anchor: Key, facts: Item): Need {
  const says = `${key.pk} ${key.sk} has no anchor: it is put back`
  return {
    key: anchor,
    isMet: isThere,
    finding: { kind: 'no anchor', key, says, restores: anchor, mend: () => transact([create(anchor, 'anchor', facts)]) },
  }
}

/** Removed only while it is the same user's: an email may be somebody else's by then. */
function dead({ pk, sk, user_id }: Stored, needed: Key, what: string, isMet = isThere): Need {
  const key = { pk, sk }
  const changed = () => new Problem(`${pk} ${sk} has changed meanwhile: look again.`)
  const mend = () => deleteItem(key, [equals('user_id', user_id)], changed)
  return { key: needed, isMet, finding: { kind: 'dead identity', key, says: `${pk} ${sk} ${what}: it is removed`, mend } }
}

/** A token or an API key that its user does not hold would still open the door. */
function heldNeeds({ pk, sk, user_id, expires_at }: Stored, what: string, holds: (found?: Item) => boolean): Need[] {
  if (Number(expires_at) <= nowSeconds()) return []
  return [dead({ pk, sk, user_id }, keys.principal(Number(user_id)), what, holds)]
}
