import { parseArgs } from 'node:util'
import { Problem } from '#tools/problem.ts'

export interface Stage {
  stage: string
  region: string
  /** the table's name, as serverless.yml gives it */
  tableName: string
}

type Flags<F extends string> = Stage & Record<F, boolean>

/** Reads `--stage`, `--region` and yes-or-no options from the command line. Throws the usage as a Problem where that is not it. */
export function readStage<F extends string = never>(usage: string, ...flags: F[]): Flags<F> {
  const { stage, region = process.env.AWS_REGION || 'us-east-1', ...given } = parse(usage, flags)
  if (!stage) throw new Problem(usage)
  return {
    stage,
    region,
    tableName: tableNameOf(stage),
    ...Object.fromEntries(flags.map((flag) => [flag, given[flag] === true])),
  } as Flags<F>
}

/** The table of a stage, as serverless.yml names it. */
export const tableNameOf = (stage = 'dev'): string => process.env.TABLE_NAME || `masthead-${stage}`

type Parsed = { stage?: string; region?: string } & Record<string, string | boolean | undefined>

function parse(usage: string, flags: string[]): Parsed {
  try {
    const switches = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const }]))
    return parseArgs({ options: { stage: { type: 'string' }, region: { type: 'string' }, ...switches } }).values
  } catch (error) {
    throw new Problem(`${(error as Error).message}\n\n${usage}`)
  }
}
