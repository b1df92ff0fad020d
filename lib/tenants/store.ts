import { failure } from '#lib/errors.ts'
import { newborn, withNewId } from '#lib/ids.ts'
import { mark } from '#lib/table/anchors.ts'
import { getItem, updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import type { NewTenant, Tenant, TenantPatch } from './tenant.ts'

const notFound = () => failure('NotFound')

export const listTenants = (query: PageQuery): Promise<Page<Tenant>> => readPage(collections.tenants(), query)

export function createTenant(input: NewTenant): Promise<Tenant> {
  const now = Date.now()
  return withNewId(now, async (id) => {
    const tenant = { ...newborn(id, now), ...input }
    await transact(newTenant(tenant))
    return tenant
  })
}

/** Steps: a tenant and its anchor, where neither is there. */
export const newTenant = (tenant: Tenant) => [
  create(keys.tenant(tenant.id), 'tenant', tenant),
  create(anchors.tenant(tenant.id as TenantId), 'anchor', { tenant_id: tenant.id }),
]

/** Throws a 404 where it is gone. */
export async function getTenant(tenant: TenantId): Promise<Tenant> {
  const found = await getItem<Tenant>(keys.tenant(tenant))
  if (!found) throw failure('NotFound')
  return found
}

export const updateTenant = (tenant: TenantId, patch: TenantPatch): Promise<Tenant> =>
  updateRecord(keys.tenant(tenant), patch, [], notFound)

/** The cascade removes what it owned. */
export const deleteTenant = (tenant: TenantId): Promise<void> =>
  transact([erase(keys.tenant(tenant), [], notFound), mark(anchors.tenant(tenant))])
