import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const shared = { testTimeout: 60_000, hookTimeout: 120_000 }

/** What is packaged and deployed is compared with what the functions did in all other tests: after them. */
const DEPLOYMENT = ['tests/iam/**/*.test.ts', 'tests/template/**/*.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['tests/support/recording.ts'],
    // By default a machine of two cores gets one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { test: { ...shared, name: 'unit', include: ['tests/unit/**/*.test.ts'], setupFiles: ['tests/support/environment.ts'] } },
      {
        test: {
          ...shared,
          name: 'table',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/unit/**', ...DEPLOYMENT],
          setupFiles: ['tests/support/environment.ts', 'tests/support/engine.ts'],
        },
      },
      { test: { ...shared, name: 'deployment', include: DEPLOYMENT, testTimeout: 200_000, sequence: { groupOrder: 1 } } },
    ],
  },
})
