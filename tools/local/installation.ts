import type { Router } from '#tools/local/router.ts'
import type { StreamEvent } from '#tools/service.ts'

/** Calls a function by its name as Lambda would. Throws what it throws. */
export type Invoke = (name: string, event: unknown) => Promise<unknown>

/** A function that is called with the stream's records. */
export interface Worker {
  name: string
  stream: StreamEvent
}

/** The service's functions, wherever they come from, and what calls which. */
export interface Installation {
  route: Router
  workers: Worker[]
  invoke: Invoke
  stop(): Promise<void>
}
