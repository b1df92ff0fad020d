import { setTimeout as sleep } from 'node:timers/promises'
import { verifyJwt } from '#lib/auth/jwt.ts'
import { NO_ID } from '#lib/ids.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'

const PATIENCE_MS = 1_000

/**
 * A request asks for up to four things at once, and each takes a connection: one that is not open yet is a handshake on a third of a
 * core, 10 ms of a first event. A fourth costs INIT more than it saves.
 */
const CONNECTIONS = 3

/** Well formed, and signed with three zero bytes. */
const FORGED = 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA'

/**
 * Does once what every first request needs: settings are parsed, keys imported, the connections to the table opened. Every bundle
 * of an HTTP function awaits it while it is loaded (tools/bundle.ts), when Lambda gives two full cores: the first event has
 * as much as the function's memory buys, and comes 125 ms sooner at 512 MB. Whatever fails here fails again at a request, which says so.
 */
export async function warmUp(): Promise<void> {
  const reads = Array.from({ length: CONNECTIONS }, () => getItem(keys.principal(NO_ID)))
  const work = Promise.allSettled([...reads, verifyJwt(FORGED)])
  await Promise.race([work, sleep(PATIENCE_MS, undefined, { ref: false })])
}
