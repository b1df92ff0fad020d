import * as z from 'zod/mini'
import { ROLES } from '#lib/auth/actor.ts'
import { email, id, idDigits, oneOf, optionalText, password } from '#lib/fields.ts'

const fields = { email, password, name: optionalText(200), role: oneOf(['owner', 'author', 'reader']) }
const anyRole = { role: oneOf(ROLES) }

/** What the user, owners and admins see; another member of the tenant sees no email, change or version. */
export const User = z.object({
  id,
  tenant_id: id,
  email: z.optional(z.string()),
  name: z.string(),
  role: z.enum(ROLES),
  created_at: z.string(),
  updated_at: z.optional(z.string()),
  version: z.optional(z.int()),
})
export type User = z.infer<typeof User>

const newUser = <R extends z.ZodMiniType>(role: R) =>
  z.object({ email: fields.email, password: fields.password, name: z.optional(fields.name), role: z.optional(role) })

const userPatch = <R extends z.ZodMiniType>(role: R) =>
  z.object({
    email: z.optional(fields.email),
    password: z.optional(fields.password),
    name: z.optional(fields.name),
    role: z.optional(role),
  })

export const NewUser = newUser(fields.role)
export const UserPatch = userPatch(fields.role)

/** The same where the caller may give every role: an admin, in the platform's own tenant. */
export const NewPlatformUser = newUser(anyRole.role)
export const PlatformUserPatch = userPatch(anyRole.role)

export type NewUser = z.infer<typeof NewPlatformUser>
export type UserPatch = z.infer<typeof PlatformUserPatch>

export const UsersPath = z.object({ tenant_id: idDigits })
export const UserPath = z.object({ tenant_id: idDigits, user_id: idDigits })
export type UserPath = z.infer<typeof UserPath>

/** A user as it is kept. */
export type UserRecord = { [Field in keyof User]-?: NonNullable<User[Field]> }

export const userLocation = ({ id, tenant_id }: User): string => `/tenants/${tenant_id}/users/${id}`
