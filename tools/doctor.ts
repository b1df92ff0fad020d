import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { documentClient } from '#lib/table/client.ts'
import { examine } from '#tools/checkup/examine.ts'
import { progressBar } from '#tools/checkup/progress.ts'
import type { Finding } from '#tools/checkup/rules.ts'
import { command, Problem } from '#tools/problem.ts'
import { readStage } from '#tools/stage.ts'

const USAGE = `Usage: npm run doctor -- --stage STAGE [--region REGION] [--fix]

Reads the whole table and says what has lost what it belongs to, and what a deletion left. Changes nothing without --fix.
AWS_ENDPOINT_URL_DYNAMODB names another engine than AWS, TABLE_NAME another table.`

await command(async () => {
  const { region, tableName, fix } = readStage(USAGE, 'fix')
  Object.assign(process.env, { TABLE_NAME: tableName, AWS_REGION: region })
  const findings = await look(tableName)
  for (const finding of findings) await report(finding, fix)
  const left = fix ? findings.filter(({ mend }) => !mend) : findings
  console.log(left.length === 0 ? 'The table is in order.' : `${left.length} to mend${fix ? ' by hand' : ': --fix does it'}.`)
  if (left.length > 0) process.exitCode = 1
})

async function look(tableName: string): Promise<Finding[]> {
  const { draw, end } = progressBar(await countItems(tableName))
  try {
    return await examine(tableName, draw)
  } finally {
    end()
  }
}

async function countItems(TableName: string): Promise<number> {
  try {
    const { Table } = await documentClient().send(new DescribeTableCommand({ TableName }))
    return Table?.ItemCount ?? 0
  } catch (error) {
    throw new Problem(`The table ${TableName} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

async function report({ kind, says, mend }: Finding, fix: boolean): Promise<void> {
  if (fix) await mend?.()
  console.log(`${fix && mend ? 'mended' : 'found'} (${kind}): ${says}`)
}
