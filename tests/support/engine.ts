import { afterAll } from 'vitest'
import { startEngine } from '#tools/engine.ts'
import { ensureTable } from '#tools/table.ts'

// An engine for each test file, in memory: with one for all, files wait for each other, and all tests take nearly three times as long.
const { endpoint, stop } = await startEngine()
process.env.AWS_ENDPOINT_URL_DYNAMODB = endpoint
await ensureTable(endpoint, process.env.TABLE_NAME as string)

afterAll(stop)
