import { parseArgs } from 'node:util'
import { command, Problem } from '#tools/problem.ts'
import { readSecret } from '#tools/secret-prompt.ts'
import { tableNameOf } from '#tools/stage.ts'
import { LOCAL } from '#tools/table.ts'

const USAGE = `Usage: npm run admin -- create --email EMAIL [--stage STAGE | --endpoint URL]

  --stage STAGE    the table masthead-STAGE in AWS (default dev), or the one that TABLE_NAME names
  --endpoint URL   a local engine with the table of the stage dev

The password is asked for, or taken from ADMIN_PASSWORD.`

await command(async () => {
  const { email, stage, endpoint } = readArguments()
  if (endpoint) useEngine(endpoint)
  process.env.TABLE_NAME = tableNameOf(stage)
  process.env.JWT_SECRET ||= 'x'.repeat(32) // the service's settings want one; making an admin signs nothing
  const password = process.env.ADMIN_PASSWORD || (await readSecret(`Password for ${email}: `))
  const { makeFirstAdmin } = await import('#tools/first-admin.ts')
  const { created, user_id } = await makeFirstAdmin(email, password)
  console.log(created ? `The admin ${email} is made, user ${user_id}.` : `The admin ${email} exists already; nothing is changed.`)
})

function readArguments() {
  const { email, stage, endpoint, verb } = parse()
  if (verb !== 'create' || !email || (stage && endpoint)) throw new Problem(USAGE)
  return { email, stage, endpoint }
}

function parse() {
  try {
    const options = { email: { type: 'string' }, stage: { type: 'string' }, endpoint: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    return { ...values, verb: positionals.join(' ') }
  } catch (error) {
    throw new Problem(`${(error as Error).message}\n\n${USAGE}`)
  }
}

function useEngine(endpoint: string): void {
  process.env.AWS_ENDPOINT_URL_DYNAMODB = endpoint
  process.env.AWS_ACCESS_KEY_ID ||= LOCAL.credentials.accessKeyId
  process.env.AWS_SECRET_ACCESS_KEY ||= LOCAL.credentials.secretAccessKey
}
