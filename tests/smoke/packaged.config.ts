import { mergeConfig } from 'vitest/config'
import smoke from './vitest.config.ts'

/** `npm run smoke:packaged`: the same suite against what is deployed, not against its sources. */
export default mergeConfig(smoke, { test: { globalSetup: 'tests/smoke/packaged.setup.ts' } })
