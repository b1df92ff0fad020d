import type { TestProject } from 'vitest/node'
import { type Service, serviceUnderTest } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    service: { url: string; email: string; password: string }
  }
}

/** One service for the run: the one that the environment names, or one that lives as long as the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return provide(project, await serviceUnderTest())
}

/** Lets the suite find a service, and gives the way to stop it. */
export function provide(project: TestProject, { url, email, password, stop }: Service): () => Promise<void> {
  console.log(`smoke: ${url}`)
  project.provide('service', { url, email, password })
  return stop
}
