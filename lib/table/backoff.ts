import { setTimeout as sleep } from 'node:timers/promises'

/** Waits before another attempt, with full jitter: for up to `baseMs`, doubled with each attempt, and `maxMs` at most. */
export async function backOff(attempt: number, baseMs: number, maxMs = Number.POSITIVE_INFINITY): Promise<void> {
  await sleep(Math.random() * Math.min(maxMs, baseMs * 2 ** attempt))
}
