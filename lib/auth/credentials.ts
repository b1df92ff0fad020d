import * as z from 'zod/mini'
import { anyString, id, idDigits } from '#lib/fields.ts'
import { ROLES } from './actor.ts'

const credentials = { email: anyString(), password: anyString() }

export const Credentials = z.object({ ...credentials, tenant_id: z.optional(z.int('must be an integer')) })
export type Credentials = z.infer<typeof Credentials>

/** The same as form parameters, where all values are text. */
export const CredentialsForm = z.object({ ...credentials, tenant_id: z.optional(idDigits) })

export const TokenReply = z.object({ token: z.string() })
export const JwtReply = z.object({ jwt: z.string() })

/** Who is logged in; with `tenant_id` a client can build its paths. */
export const Profile = z.object({ id, email: z.string(), tenant_id: id, role: z.enum(ROLES) })
