import { setTimeout as sleep } from 'node:timers/promises'
import { verifyJwt } from '#lib/auth/jwt.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'

const PATIENCE_MS = 1_000

/** No user has this id. */
const NOBODY = 0

/** Well formed, and signed with three zero bytes. */
const FORGED = 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'

/**
 * Does once what every first request needs: settings are parsed, keys imported, the connection to the table opened. Every bundle
 * of an HTTP function awaits it while it is loaded (tools/bundle.ts), when Lambda gives two full cores: the first event of a
 * 512 MB function has 0.29 of one, and comes 125 ms sooner. Whatever fails here fails again at a request, which says so.
 */
export async function warmUp(): Promise<void> {
  const work = Promise.allSettled([getItem(keys.principal(NOBODY)), verifyJwt(FORGED)])
  await Promise.race([work, sleep(PATIENCE_MS, undefined, { ref: false })])
}
