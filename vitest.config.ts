import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: 'tests/support/engine.ts',
    setupFiles: 'tests/support/environment.ts',
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
