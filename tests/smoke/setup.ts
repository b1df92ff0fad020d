import type { TestProject } from 'vitest/node'
import { serviceUnderTest } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    service: { url: string; email: string; password: string }
  }
}

/** One service for the run: the one that the environment names, or one that lives as long as the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...service } = await serviceUnderTest()
  console.log(`smoke: ${service.url}`)
  project.provide('service', service)
  return stop
}
