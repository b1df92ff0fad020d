import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import type { TableCall } from '#tests/support/record.ts'
import { ensurePackaged } from '#tools/packaged/package.ts'
import { functionsOf, readTemplate } from '#tools/packaged/template.ts'
import { actionsOf, allows, describeCall, type Statement, unusedOf } from './policy.ts'

await ensurePackaged()
const template = readTemplate()
const FUNCTIONS = functionsOf(template).map(({ name, logicalId }) => ({ name, logicalId, statements: statementsOf(logicalId) }))
const CALLS = readCalls()

/** Those of the function's own role, as CloudFormation gets it. */
function statementsOf(logicalId: string): Statement[] {
  const [role] = template.Resources[logicalId]?.Properties.Role['Fn::GetAtt'] ?? []
  const { Policies, ManagedPolicyArns = [] } = template.Resources[role]?.Properties ?? {}
  if (ManagedPolicyArns.length > 0) throw new Error(`${role} has managed policies, which nobody compares with anything`)
  return Policies.flatMap(({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) => PolicyDocument.Statement)
}

/** What the functions did in the tests that ran before these. */
function readCalls(): TableCall[] {
  const folder = inject('records')
  const lines = globSync('*.ndjson', { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').trim().split('\n'),
  )
  return lines.map((line) => JSON.parse(line))
}

const isOnItems = ({ Resource }: Statement): boolean => JSON.stringify(Resource) === '{"Fn::GetAtt":["Table","Arn"]}'

/** All narrow grants there are: an action on the whole table is needed by what none of them would let through. */
const NARROW = FUNCTIONS.flatMap(({ statements }) => statements.filter((each) => isOnItems(each) && each.Condition))

const neededOf = (statement: Statement, calls: TableCall[]): TableCall[] =>
  statement.Condition ? calls : calls.filter((call) => !NARROW.some((narrow) => allows(narrow, call)))

describe('the role of', () => {
  test('each function is its own', () => {
    const roles = FUNCTIONS.map(({ logicalId }) => JSON.stringify(template.Resources[logicalId]?.Properties.Role))
    expect(new Set(roles).size).toBe(FUNCTIONS.length)
    expect(Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::IAM::Role')).toHaveLength(FUNCTIONS.length)
  })

  test.each(FUNCTIONS)('$name is allowed all that it did, and nothing that it never did', ({ name, statements }) => {
    const calls = CALLS.filter((call) => call.function === name)
    const onTable = statements.filter(isOnItems)
    const missing = calls.filter((call) => !onTable.some((statement) => allows(statement, call))).map(describeCall)
    const unused = onTable.flatMap((statement) => unusedOf(statement, neededOf(statement, calls)))
    expect({ missing, unused }).toEqual({ missing: [], unused: [] })
  })

  test.each(FUNCTIONS)('$name names each action and each resource', ({ statements }) => {
    const actions = statements.flatMap(actionsOf)
    expect(actions.filter((action) => action.includes('*'))).toEqual([])
    expect(actions).not.toContain('dynamodb:Scan')
    expect(
      statements.map(({ Resource }) => Resource).filter((resource) => /"\*"|\btable\/\*/.test(JSON.stringify(resource))),
    ).toEqual([])
    const elsewhere = statements.filter((statement) => !isOnItems(statement)).flatMap(actionsOf)
    expect(OTHER_ACTIONS).toEqual(expect.arrayContaining(elsewhere))
  })
})

/** What is allowed on anything but the table: the function's log, and for the worker its stream and its dead letters. */
const OTHER_ACTIONS = [
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
  'sqs:SendMessage',
]
