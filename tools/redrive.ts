import { redrive } from '#tools/dead-letters.ts'
import { command } from '#tools/problem.ts'
import { readStage } from '#tools/stage.ts'

const USAGE = `Usage: npm run redrive -- --stage STAGE [--region REGION]

Takes up again what the cascade gave up: reads each dead letter's events from the table's stream and purges what they stand for.`

await command(async () => {
  const { stage, region, tableName } = readStage(USAGE)
  Object.assign(process.env, { TABLE_NAME: tableName, AWS_REGION: region })
  const { done, failed, expired } = await redrive(`masthead-${stage}-dead-letters`, region)
  console.log(`${done} dead letters done, ${failed} failed again and stay, ${expired} were older than the stream.`)
  if (expired > 0) console.log(`What those stood for is found by: npm run doctor -- --stage ${stage} --fix`)
  if (failed > 0) process.exitCode = 1
})
