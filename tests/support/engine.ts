import { afterAll } from 'vitest'
import { startEngine } from '#tools/engine.ts'
import { ensureTable } from '#tools/table.ts'

// An engine for each test file, in memory: one for all would let files wait for each other's writes, and takes longer for each the
// more records its streams hold.
const { endpoint, stop } = await startEngine()
process.env.AWS_ENDPOINT_URL_DYNAMODB = endpoint
await ensureTable(endpoint, process.env.TABLE_NAME as string)

afterAll(stop)
