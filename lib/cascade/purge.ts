import { markAnchor, restoreAnchor } from '#lib/table/anchors.ts'
import { deleteItems } from '#lib/table/batches.ts'
import { exists } from '#lib/table/expressions.ts'
import { getItem, touchItem } from '#lib/table/items.ts'
import { ANCHOR, anchors, CHILDREN, type Key, readSortKey, type TenantId, tenantOf } from '#lib/table/keys.ts'
import { querySortKeys } from '#lib/table/queries.ts'
import { purgeUser } from '#lib/users/identity.ts'

/** As many children as one round takes; their anchors and users are written side by side. */
const ROUND = 50

/**
 * Removes what a deleted parent owned, and last its anchor. `pk` is the partition of an anchor that changed or went. Can be begun
 * again at any point, twice at once, and on an anchor that is not marked (nothing happens). When `isLate`, it touches the anchor,
 * whose new stream event goes on with the rest.
 */
export async function purge(pk: string, isLate: () => boolean): Promise<void> {
  const tenant = tenantOf(pk)
  const anchor: Key = { pk, sk: ANCHOR }
  if (tenant === undefined || !(await isDoomed(anchor))) return
  for (let children = await nextChildren(pk); children.length > 0; children = await nextChildren(pk)) {
    if (isLate()) return postpone(anchor)
    await purgeChildren(tenant, pk, children)
  }
  // The removal's own event looks once more.
  await deleteItems(pk, [ANCHOR])
}

const nextChildren = (pk: string): Promise<string[]> => querySortKeys(pk, { ...CHILDREN, limit: ROUND })

async function isDoomed(anchor: Key): Promise<boolean> {
  const found = await getItem(anchor)
  if (found) return found.purging === true
  // Gone by its time to live before all else was: it is put back, so that nothing can be made meanwhile.
  const [child] = await querySortKeys(anchor.pk, { ...CHILDREN, limit: 1 })
  return child !== undefined && restoreAnchor(anchor)
}

async function postpone(anchor: Key): Promise<void> {
  await touchItem(anchor, { set: { touched_at: Date.now() } }, [exists])
}

/** Marks the children's anchors before it deletes their records: the other way round, a child could be lost track of. */
async function purgeChildren(tenant: TenantId, pk: string, sortKeys: string[]): Promise<void> {
  await Promise.all(sortKeys.map((sk) => purgeChild(tenant, sk)))
  await deleteItems(pk, sortKeys)
}

async function purgeChild(tenant: TenantId, sk: string): Promise<void> {
  const { kind, id } = readSortKey(sk)
  if (kind === 'USER') await purgeUser(tenant, id)
  if (kind === 'BLOG') await markAnchor(anchors.blog(tenant, id))
  if (kind === 'POST') await markAnchor(anchors.post(tenant, id))
}
