import { rotateSecret } from '#tools/jwt-secret.ts'
import { command } from '#tools/problem.ts'
import { readStage } from '#tools/stage.ts'

const USAGE = `Usage: npm run secret -- --stage STAGE [--region REGION]

Makes the stage's JWT secret in AWS Secrets Manager, or a new one: what was current becomes the previous one, which still verifies.
It counts with the next deployment.`

await command(async () => {
  const { stage, region } = readStage(USAGE)
  const { name, created } = await rotateSecret(stage, region)
  console.log(`${name} ${created ? 'is made' : 'has a new value, and keeps the last one as the previous'}.`)
  console.log(`It counts from here on: npx serverless deploy --stage ${stage} --force`)
})
