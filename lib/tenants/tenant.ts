import * as z from 'zod/mini'
import { id, idDigits, text } from '#lib/fields.ts'

const name = text(200)

export const Tenant = z.object({ id, name: z.string(), created_at: z.string(), updated_at: z.string(), version: z.int() })
export type Tenant = z.infer<typeof Tenant>

export const NewTenant = z.object({ name })
export type NewTenant = z.infer<typeof NewTenant>

export const TenantPatch = z.object({ name: z.optional(name) })
export type TenantPatch = z.infer<typeof TenantPatch>

export const TenantPath = z.object({ tenant_id: idDigits })
export type TenantPath = z.infer<typeof TenantPath>

export const tenantLocation = ({ id }: Tenant): string => `/tenants/${id}`
