import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const shared = { testTimeout: 20_000, hookTimeout: 30_000 }

export default defineConfig({
  test: {
    globalSetup: 'tests/support/engine.ts',
    // By default a machine of two cores gets one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { test: { ...shared, name: 'unit', include: ['tests/unit/**/*.test.ts'], setupFiles: ['tests/support/environment.ts'] } },
      {
        test: {
          ...shared,
          name: 'table',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/unit/**'],
          setupFiles: ['tests/support/environment.ts', 'tests/support/newtable.ts'],
        },
      },
    ],
  },
})
