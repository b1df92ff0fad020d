import { safeParse } from 'zod/mini'
import { scopeOf } from '#lib/auth/actor.ts'
import { failure } from '#lib/errors.ts'
import type { Middleware } from './request.ts'
import type { Spec } from './spec.ts'

/** Finds out what the path names and whether the caller's role may do that: path ids and tenant 404, role 403. */
export function scope({ params, may }: Pick<Spec, 'params' | 'may'>): Middleware {
  return {
    before: ({ event: { known, pathParameters } }) => {
      if (params) known.params = readParams(params, pathParameters)
      if (!known.actor) return
      known.tenant = scopeOf(known.actor, (known.params as { tenant_id?: number } | undefined)?.tenant_id)
      if (may && !may(known.actor, known.params)) throw failure('Forbidden')
    },
  }
}

function readParams(schema: NonNullable<Spec['params']>, given: unknown): unknown {
  const result = safeParse(schema, given)
  if (!result.success) throw failure('NotFound')
  return result.data
}
