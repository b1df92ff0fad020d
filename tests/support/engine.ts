import type { TestProject } from 'vitest/node'
import { startEngine } from '#tools/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    endpoint: string
  }
}

/** One engine in memory for the whole run; each test file makes a table of its own on it. */
export default async function engine(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startEngine()
  project.provide('endpoint', endpoint)
  return stop
}
