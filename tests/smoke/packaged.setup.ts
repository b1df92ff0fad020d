import type { TestProject } from 'vitest/node'
import { startService } from './service.ts'
import { provide } from './setup.ts'

/** What `serverless package` makes, each function in its own process, for as long as the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return provide(project, await startService({ packaged: true }))
}
