import { safeParse } from 'zod/mini'
import { scopeOf } from '#lib/auth/actor.ts'
import { failure } from '#lib/errors.ts'
import { countWrite, requireBudget } from '#lib/limits/writes.ts'
import type { HttpEvent, Middleware } from './request.ts'
import type { Spec } from './spec.ts'

/** Finds out what the path names and whether the caller's role may do that: path ids and tenant 404, role 403, the tenant's rate 429. */
export function scope(spec: Pick<Spec, 'params' | 'may' | 'unmetered'>): Middleware {
  const { params, may } = spec
  return {
    before: ({ event }) => {
      const { known, pathParameters } = event
      if (params) known.params = readParams(params, pathParameters)
      if (!known.actor) return
      known.tenant = scopeOf(known.actor, (known.params as { tenant_id?: number } | undefined)?.tenant_id)
      if (known.actor.scope === 'read' && isWrite(event)) throw failure('Forbidden')
      if (may && !may(known.actor, known.params)) throw failure('Forbidden')
      if (isMetered(spec, event)) requireBudget(known.tenant)
    },
  }
}

const isWrite = ({ requestContext }: HttpEvent): boolean => requestContext.http.method !== 'GET'

const isMetered = ({ unmetered }: Pick<Spec, 'unmetered'>, event: HttpEvent): boolean => isWrite(event) && !unmetered

function readParams(schema: NonNullable<Spec['params']>, given: unknown): unknown {
  const result = safeParse(schema, given)
  if (!result.success) throw failure('NotFound')
  return result.data
}

/** Runs a handler; a metered write is counted side by side with it, and before the answer: a Lambda sleeps after that. */
export async function counted<T>(spec: Pick<Spec, 'unmetered'>, event: HttpEvent, work: () => Promise<T>): Promise<T> {
  const { tenant } = event.known
  if (tenant === undefined || !isMetered(spec, event)) return work()
  const count = countWrite(tenant)
  try {
    return await work()
  } finally {
    await count
  }
}
