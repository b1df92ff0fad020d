import { readFileSync, writeFileSync } from 'node:fs'

/** How far each shard of a stream was read, kept in a file, or for this run only without one. */
export interface Checkpoint {
  get(shard: string): string | undefined
  set(shard: string, sequenceNumber: string): void
}

export function openCheckpoint(file: string | undefined): Checkpoint {
  const positions = new Map(file ? read(file) : [])
  return {
    get: (shard) => positions.get(shard),
    set(shard, sequenceNumber) {
      positions.set(shard, sequenceNumber)
      if (file) writeFileSync(file, JSON.stringify(Object.fromEntries(positions)))
    },
  }
}

/** A file that cannot be read is a beginning anew: the worker may see an event twice. */
function read(file: string): [string, string][] {
  try {
    return Object.entries(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}
