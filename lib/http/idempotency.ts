import { createHmac } from 'node:crypto'
import { authConfig } from '#lib/config.ts'
import { ValidationFailed } from '#lib/errors.ts'
import { violation } from './input.ts'
import { type HttpEvent, header, type Middleware } from './request.ts'
import type { Spec } from './spec.ts'

/** Visible ASCII. */
const KEY = /^[\x21-\x7e]{1,64}$/

/** Reads the key under which a create may be sent again. Other routes do not look at the header. */
export function idempotency({ location }: Pick<Spec, 'location'>): Middleware {
  return {
    before: ({ event }) => {
      const key = location && header(event, 'idempotency-key')
      const { actor } = event.known
      if (key === undefined || !actor) return
      if (!KEY.test(key)) throw new ValidationFailed([violation('idempotency_key', 'invalid', 'is invalid')])
      event.known.once = { caller: actor, key, fingerprints: fingerprintsOf(event), replayed: false }
    },
  }
}

/** What is asked for, not how it was written. Keyed, because a body may hold a password. */
function fingerprintsOf({ rawPath, known: { body } }: HttpEvent): [string, ...string[]] {
  const { JWT_SECRET, JWT_SECRET_PREVIOUS } = authConfig()
  const asked = `idempotency\n${rawPath}\n${JSON.stringify(body)}`
  const under = (secret: string) => createHmac('sha256', secret).update(asked).digest('base64url')
  return [under(JWT_SECRET), ...(JWT_SECRET_PREVIOUS === undefined ? [] : [under(JWT_SECRET_PREVIOUS)])]
}
