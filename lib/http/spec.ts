import type { Actor } from '#lib/auth/actor.ts'
import type { Once } from '#lib/table/creation.ts'
import type { TenantId } from '#lib/table/keys.ts'
import type { Versions } from '#lib/table/preconditions.ts'
import type { Fields } from './input.ts'
import type { Reply } from './reply.ts'

/** Nobody in particular, whoever has a token or an API key, or only a person who logged in. */
export type Access = 'public' | 'bearer' | 'login'

/** Everything about a route but its path, as data: types, validation, permissions and the reply's filter come from it. */
export type Spec<A extends Access = Access, P = unknown, Q = unknown, B = unknown, R = unknown> = {
  summary: string
  access: A
  /** The path's ids: what is no id names no record (404). `tenant_id` becomes the call's tenant. */
  params?: Fields<P>
  /** The role's part of the policy, decided before the body is read: 403 where it says no. */
  may?(actor: Actor, params: NoInfer<P>): boolean
  /**
   * Neither counted among the tenant's writes nor refused when they are spent. For what takes away a user, a key or a session, each
   * of which can be taken once: nobody who floods a tenant keeps its people from ending that.
   */
  unmetered?: true
  query?: Fields<Q>
  body?: Fields<B>
  /** The body's schema where it depends on who sends it. */
  bodyFor?(actor: Actor, tenant: TenantId): Fields<B>
  /** The same fields as form parameters write them. */
  form?: Fields<B>
  /** Fields that not everybody may set: 403 where a body names one and its policy says no. */
  restricted?: Record<string, (actor: Actor) => boolean>
  status: 200 | 201 | 204
  reply?: Reply<R>
  /** The path of the record that was created, below the version prefix. What has one may be sent again under an idempotency key. */
  location?(record: NoInfer<R>): string
}

/** What a handler is called with: no other tenant than those that the token allows; `source` is the caller's address. */
export type Call<A extends Access, P, Q, B> = { params: P; query: Q; body: B } & (A extends 'public'
  ? { source: string }
  : { actor: Actor; tenant: TenantId; once?: Once; ifMatch?: Versions })
