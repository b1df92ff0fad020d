import { padId } from '#lib/ids.ts'

declare const verified: unique symbol

/**
 * A tenant that a verified token may act in. Only `scopeOf` (lib/auth/actor.ts) makes one from a request, and a login one that it
 * looks for itself in, so a key of a foreign tenant's record can't be written down.
 */
export type TenantId = number & { readonly [verified]: true }

export type Key = { pk: string; sk: string }

/** A key as one text, to look items up by. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`

/** A run of records in one partition: every sort key is the prefix and a padded id. */
export type Collection = { pk: string; prefix: string }

/** The sort key of an anchor: it sorts before everything else in its partition. */
export const ANCHOR = '#'

// Partitions. The tenant leads everything that a tenant owns; what finds a tenant is global, API keys with it.
const TENANTS = 'TENANTS'
const ofTenant = (t: TenantId) => `TENANT#${t}`
const ofUser = (t: TenantId, u: number) => `TENANT#${t}#USER#${u}`
const ofBlog = (t: TenantId, b: number) => `TENANT#${t}#BLOG#${b}`
const ofPost = (t: TenantId, p: number) => `TENANT#${t}#POST#${p}`
const ofFailures = (subject: string) => `FAILURES#${subject}`
const ofEmail = (email: string) => `EMAIL#${email}`
const ofPrincipal = (u: number) => `USER#${u}`

/** The chart of every item in the table. */
export const keys = {
  tenant: (t: number): Key => ({ pk: TENANTS, sk: padId(t) }),
  user: (t: TenantId, u: number): Key => ({ pk: ofTenant(t), sk: `USER#${padId(u)}` }),
  blog: (t: TenantId, u: number, b: number): Key => ({ pk: ofUser(t, u), sk: `BLOG#${padId(b)}` }),
  post: (t: TenantId, b: number, p: number): Key => ({ pk: ofBlog(t, b), sk: `POST#${padId(p)}` }),
  comment: (t: TenantId, p: number, c: number): Key => ({ pk: ofPost(t, p), sk: `COMMENT#${padId(c)}` }),
  claim: (t: TenantId, email: string): Key => ({ pk: ofTenant(t), sk: `EMAIL#${email}` }),
  login: (email: string, u: number): Key => ({ pk: ofEmail(email), sk: `USER#${padId(u)}` }),
  token: (digest: string): Key => ({ pk: `TOKEN#${digest}`, sk: 'TOKEN' }),
  idempotency: (t: TenantId, u: number, key: string): Key => ({ pk: ofUser(t, u), sk: `IDEM#${key}` }),
  failures: (subject: string, source: string, t?: number): Key => ({
    pk: ofFailures(subject),
    sk: t === undefined ? source : `${source}#${t}`,
  }),
  writes: (t: TenantId, minute: number): Key => ({ pk: `WRITES#${t}`, sk: padId(minute) }),
  principal: (u: number): Key => ({ pk: ofPrincipal(u), sk: 'USER' }),
  apiKey: (u: number, k: number): Key => ({ pk: ofPrincipal(u), sk: `KEY#${padId(k)}` }),
}

/** A parent's anchor in its own partition: whoever creates under it checks that it is there and not purging. */
export const anchors = {
  tenant: (t: TenantId): Key => ({ pk: ofTenant(t), sk: ANCHOR }),
  user: (t: TenantId, u: number): Key => ({ pk: ofUser(t, u), sk: ANCHOR }),
  blog: (t: TenantId, b: number): Key => ({ pk: ofBlog(t, b), sk: ANCHOR }),
  post: (t: TenantId, p: number): Key => ({ pk: ofPost(t, p), sk: ANCHOR }),
}

/** What a list reads. */
export const collections = {
  tenants: (): Collection => ({ pk: TENANTS, prefix: '' }),
  users: (t: TenantId): Collection => ({ pk: ofTenant(t), prefix: 'USER#' }),
  blogs: (t: TenantId, u: number): Collection => ({ pk: ofUser(t, u), prefix: 'BLOG#' }),
  posts: (t: TenantId, b: number): Collection => ({ pk: ofBlog(t, b), prefix: 'POST#' }),
  comments: (t: TenantId, p: number): Collection => ({ pk: ofPost(t, p), prefix: 'COMMENT#' }),
  apiKeys: (u: number): Collection => ({ pk: ofPrincipal(u), prefix: 'KEY#' }),
  logins: (email: string): Collection => ({ pk: ofEmail(email), prefix: 'USER#' }),
}

/** Every sort key but the anchor's lies between these two. */
export const CHILDREN = { from: 'A', to: '~' }

/** What a sort key under an anchor stands for: `BLOG#0000000000000007` is blog 7. */
export function readSortKey(sk: string): { kind: string; id: number } {
  const [kind = '', digits] = sk.split('#')
  return { kind, id: Number(digits) }
}

/** The tenant that a partition belongs to; undefined for a global one, which has no anchor. */
export function tenantOf(pk: string): TenantId | undefined {
  const [kind, id] = pk.split('#')
  return kind === 'TENANT' ? (Number(id) as TenantId) : undefined
}
