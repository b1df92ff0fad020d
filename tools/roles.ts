type Condition = Record<string, Record<string, string[]>>

type Statement = { Effect: 'Allow'; Action: string[]; Resource: unknown; Condition?: Condition }

/** A permission narrower than the table: on items of those partitions only, and no attribute but those is named. */
type Grant = { actions: string[]; partitions: string[]; attributes?: string[] }

type Destination = { arn: unknown }

type LambdaFunction = {
  name: string
  table: string[]
  role?: string
  tracing?: unknown
  events: { stream?: { arn: unknown; destinations?: { onFailure: Destination } } }[]
}

/** What this plugin knows of osls's own object. */
type Serverless = {
  service: {
    functions: Record<string, LambdaFunction>
    custom: { grants: Record<string, Grant> }
    provider: { tracing?: { lambda?: unknown } }
    resources: { Resources: Record<string, unknown> }
  }
  configSchemaHandler: { defineFunctionProperties(provider: string, schema: object): void }
}

const TABLE = { 'Fn::GetAtt': ['Table', 'Arn'] }

const allow = (Action: string[], Resource: unknown, Condition?: Condition): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...(Condition && { Condition }),
})

const onTable = (actions: string[], Condition?: Condition): Statement =>
  allow(
    actions.map((action) => `dynamodb:${action}`),
    TABLE,
    Condition,
  )

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html */
const narrowed = ({ actions, partitions, attributes }: Grant): Statement =>
  onTable(actions, {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
    ...(attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes } }),
  })

/** A name in a function's `table` is one of the grants, or else an action on any item of the table. */
function tableStatements(names: string[], grants: Record<string, Grant>): Statement[] {
  const actions = names.filter((name) => !Object.hasOwn(grants, name))
  const unknown = actions.find((name) => !/^[A-Z][A-Za-z]+$/.test(name))
  if (unknown !== undefined) throw new Error(`${unknown} is neither a grant of custom.grants nor an action of DynamoDB`)
  const narrow = names.flatMap((name) => (Object.hasOwn(grants, name) ? [narrowed(grants[name] as Grant)] : []))
  return [...(actions.length > 0 ? [onTable(actions)] : []), ...narrow]
}

/** Lambda refuses to poll with a role that lacks one of them: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
const STREAM_ACTIONS = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((name) => `dynamodb:${name}`)

/** Lambda polls the stream, and sends what it gave up, with the function's own role. */
function streamStatements({ events }: LambdaFunction): Statement[] {
  return events.flatMap(({ stream }) => {
    if (!stream) return []
    const read = allow(STREAM_ACTIONS, stream.arn)
    const queue = stream.destinations?.onFailure.arn
    return [read, ...(queue ? [allow(['sqs:SendMessage'], queue)] : [])]
  })
}

/** The group is a resource of the stack: a function makes none. */
const logStatement = ({ name }: LambdaFunction): Statement =>
  allow(['logs:CreateLogStream', 'logs:PutLogEvents'], {
    'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/${name}:*`,
  })

/** X-Ray's actions know no resource. */
const traceStatement = allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], '*')

const role = (Statement: Statement[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
    Policies: [{ PolicyName: 'function', PolicyDocument: { Version: '2012-10-17', Statement } }],
  },
})

/**
 * An osls plugin: gives each function a role of its own, with its log group, its stream and exactly what its `table` names.
 * https://github.com/oss-serverless/osls documents the hooks.
 */
export default class Roles {
  readonly hooks = { initialize: () => this.#addRoles() }
  readonly #serverless: Serverless

  constructor(serverless: Serverless) {
    this.#serverless = serverless
    serverless.configSchemaHandler.defineFunctionProperties('aws', {
      properties: { table: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
      required: ['table'],
    })
  }

  #addRoles(): void {
    const { functions, custom, provider, resources } = this.#serverless.service
    for (const [key, fn] of Object.entries(functions)) {
      fn.role = `${key.charAt(0).toUpperCase()}${key.slice(1)}Role`
      const isTraced = fn.tracing ?? provider.tracing?.lambda
      resources.Resources[fn.role] = role([
        logStatement(fn),
        ...streamStatements(fn),
        ...tableStatements(fn.table, custom.grants),
        ...(isTraced ? [traceStatement] : []),
      ])
    }
  }
}
