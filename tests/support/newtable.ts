import { ensureTable } from '#tools/table.ts'

await ensureTable(process.env.AWS_ENDPOINT_URL_DYNAMODB as string, process.env.TABLE_NAME as string)
