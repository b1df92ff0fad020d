import { defineConfig } from 'vitest/config'

/** `npm run smoke`: over HTTP alone, against any stage. Its files end in `.smoke.ts`, so that no other run takes them up. */
export default defineConfig({
  test: {
    include: ['tests/smoke/**/*.smoke.ts'],
    globalSetup: 'tests/smoke/setup.ts',
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
