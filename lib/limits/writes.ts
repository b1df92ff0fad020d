import { authConfig } from '#lib/config.ts'
import { failure } from '#lib/errors.ts'
import { describeError, log } from '#lib/log.ts'
import { absent, either, exists } from '#lib/table/expressions.ts'
import { touchItem } from '#lib/table/items.ts'
import { keys, type TenantId } from '#lib/table/keys.ts'

const MINUTE_MS = 60_000

/**
 * Until when (Unix milliseconds) a tenant's writes are refused, as this Lambda has learnt from its own writes. The one thing that
 * a warm Lambda remembers of a tenant: it saves every refused request its round trip.
 */
const blockedUntil = new Map<TenantId, number>()

/** Throws a 429 where the tenant has spent this minute's writes. */
export function requireBudget(tenant: TenantId): void {
  const until = blockedUntil.get(tenant) ?? 0
  const left = until - Date.now()
  if (left > 0) throw failure('TooManyRequests', { retryAfterSeconds: Math.ceil(left / 1000) })
  blockedUntil.delete(tenant)
}

/**
 * Counts one write of a tenant, side by side with the write itself and not inside its transaction, where one hot item would make
 * conflicts. Costs one write unit; a count that fails is logged and lets the write pass.
 */
export async function countWrite(tenant: TenantId): Promise<void> {
  const minute = Math.floor(Date.now() / MINUTE_MS)
  const end = (minute + 1) * MINUTE_MS
  try {
    const set = { type: 'writes', expires_at: end / 1000 + MINUTE_MS / 1000 }
    const { item } = await touchItem(keys.writes(tenant, minute), { set, add: { writes: 1 } }, [either(absent, exists)])
    if ((item?.writes as number) >= authConfig().TENANT_WRITES_PER_MINUTE) blockedUntil.set(tenant, end)
  } catch (error) {
    log('warn', 'A write was not counted', { tenant_id: tenant, error: describeError(error) })
  }
}
