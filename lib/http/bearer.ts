import { authenticate } from '#lib/auth/authenticate.ts'
import { failure } from '#lib/errors.ts'
import { header, type Middleware } from './request.ts'
import type { Spec } from './spec.ts'

/** The token is the last space-separated part of the header's value; what stands before it is not examined. */
const bearerOf = (authorization: string | undefined): string => authorization?.split(' ').at(-1) ?? ''

/** Finds out who makes the request, or refuses it with a 401. A public route does not look at the header, a login's takes no API key. */
export function bearer({ access }: Pick<Spec, 'access'>): Middleware {
  return {
    before: async ({ event }) => {
      if (access === 'public') return
      const token = bearerOf(header(event, 'authorization'))
      const actor = token === '' ? undefined : await authenticate(token)
      if (!actor) throw failure('Unauthorized')
      if (access === 'login' && actor.scope) throw failure('LoginRequired')
      event.known.actor = actor
    },
  }
}
