import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** where the calls of this run are gathered, a file per process */
    records: string
  }
}

/** A run's calls are its own. */
export default function recording(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'masthead-calls-'))
  project.provide('records', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
