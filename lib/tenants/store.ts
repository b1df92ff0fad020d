import { newborn } from '#lib/ids.ts'
import { getUnder, mark } from '#lib/table/anchors.ts'
import { createRecord, type Once } from '#lib/table/creation.ts'
import { updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { asExpected, refusedUnless, type Versions } from '#lib/table/preconditions.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import { type NewTenant, Tenant, type TenantPatch } from './tenant.ts'

export const listTenants = (query: PageQuery): Promise<Page<Tenant>> => readPage(collections.tenants(), Tenant, query)

export const createTenant = (input: NewTenant, once?: Once): Promise<Tenant> =>
  createRecord({ at: Date.now(), record: (id, at) => ({ ...newborn(id, at), ...input }), steps: newTenant }, once)

/** Steps: a tenant and its anchor, where neither is there. */
export const newTenant = (tenant: Tenant) => [
  create(keys.tenant(tenant.id), 'tenant', tenant),
  create(anchors.tenant(tenant.id as TenantId), 'anchor', { tenant_id: tenant.id }),
]

/** Throws a 404 where it is gone. */
export const getTenant = (tenant: TenantId): Promise<Tenant> => getUnder([], keys.tenant(tenant))

/** Throws a 404 where it is gone, a 412 where its version is another. */
export const updateTenant = (tenant: TenantId, patch: TenantPatch, ifMatch?: Versions): Promise<Tenant> =>
  updateRecord(keys.tenant(tenant), patch, asExpected(ifMatch), refusedUnless())

/** Throws as an update does. The cascade removes what it owned. */
export const deleteTenant = (tenant: TenantId, ifMatch?: Versions): Promise<void> =>
  transact([erase(keys.tenant(tenant), asExpected(ifMatch), refusedUnless()), mark(anchors.tenant(tenant))])
