import { beforeAll, describe, expect, test } from 'vitest'
import type { Template } from '#tools/packaged/template.ts'
import { routes } from '#tools/routes.ts'
import { service } from '#tools/service.ts'
import { compile } from './compile.ts'
import { type Finding, findingsIn } from './rules.ts'
import { SUPPRESSIONS, type Suppression } from './suppressions.ts'

const DOMAIN = ['domain=api.example.com', 'certificate=arn:aws:acm:us-east-1:000000000000:certificate/0', 'defaultEndpoint=false']
const TOPIC = 'arn:aws:sns:us-east-1:000000000000:alarms'

let dev: Template
let prod: Template
let findings: Finding[]

beforeAll(async () => {
  ;[dev, prod] = await Promise.all([compile('dev', ['tracing=true']), compile('prod', [...DOMAIN, `alarmTopic=${TOPIC}`])])
  findings = findingsIn(prod)
}, 200_000)

const propertiesOf = (template: Template, id: string) => template.Resources[id]?.Properties
const ofType = (template: Template, type: string) => Object.entries(template.Resources).filter(([, { Type }]) => Type === type)

describe('the template', () => {
  test('has at most 400 resources of 500: six per function with a route, one more per further route', () => {
    const functions = Object.keys(service().functions).length
    const withRoutes = ofType(prod, 'AWS::ApiGatewayV2::Integration').length
    const perFunction = 3 * functions + 2 * withRoutes + ofType(prod, 'AWS::ApiGatewayV2::Route').length
    const total = Object.keys(prod.Resources).length
    expect(ofType(prod, 'AWS::ApiGatewayV2::Route')).toHaveLength(routes().length + 1)
    expect(total - perFunction).toBeLessThanOrEqual(22)
    expect(total).toBeLessThanOrEqual(400)
  })

  test('holds no secret, only where CloudFormation finds it', () => {
    for (const [id, { Properties }] of ofType(prod, 'AWS::Lambda::Function')) {
      const { JWT_SECRET, JWT_SECRET_PREVIOUS } = Properties.Environment.Variables
      const signs = !['NotFoundLambdaFunction', 'CascadeLambdaFunction'].includes(id)
      const secret = (label: string) => (signs ? `{{resolve:secretsmanager:masthead/prod/jwt:SecretString::${label}}}` : '')
      expect({ id, JWT_SECRET, JWT_SECRET_PREVIOUS }).toEqual({
        id,
        JWT_SECRET: secret('AWSCURRENT'),
        JWT_SECRET_PREVIOUS: secret('AWSPREVIOUS'),
      })
    }
  })

  test('encrypts whatever keeps data', () => {
    const unknown = Object.values(prod.Resources).filter(({ Type }) => !KEEPS_NOTHING.includes(Type) && !(Type in ENCRYPTED))
    expect(unknown.map(({ Type }) => Type)).toEqual([])
    const open = Object.entries(prod.Resources).filter(([, { Type, Properties }]) => ENCRYPTED[Type]?.(Properties) === false)
    expect(open.map(([id]) => id)).toEqual([])
  })

  test('answers TLS 1.2 or newer, and its queue TLS alone', () => {
    expect(propertiesOf(prod, 'Domain').DomainNameConfigurations).toMatchObject([{ SecurityPolicy: 'TLS_1_2' }])
    expect(propertiesOf(prod, 'HttpApi').ProtocolType).toBe('HTTP')
    expect(propertiesOf(prod, 'DeadLettersPolicy').PolicyDocument.Statement).toMatchObject([
      { Effect: 'Deny', Principal: '*', Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ])
  })

  test('has its base URL end in /api/v1', () => {
    expect(propertiesOf(prod, 'HttpApiStage')).toMatchObject({ StageName: '$default' })
    for (const [, { Properties }] of ofType(prod, 'AWS::ApiGatewayV2::Route'))
      expect(Properties.RouteKey).toMatch(/^(\$default|[A-Z]+ \/api\/v1\/.+)$/)
  })

  test('lets the worker give up a batch piece by piece, and nothing silently', () => {
    const [[, mapping] = []] = ofType(prod, 'AWS::Lambda::EventSourceMapping')
    expect(mapping?.Properties).toMatchObject({
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: expect.any(Number),
      MaximumRecordAgeInSeconds: expect.any(Number),
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] } } },
      FilterCriteria: { Filters: [{ Pattern: expect.stringContaining('"REMOVE"') }] },
    })
  })
})

/** AWS encrypts what Lambda and CloudWatch keep, log groups too; API Gateway, IAM and the rest keep settings. */
const KEEPS_NOTHING = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::IAM::Role',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::S3::BucketPolicy',
  'AWS::SQS::QueuePolicy',
]

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shapes
const ENCRYPTED: Record<string, (properties: any) => boolean> = {
  'AWS::DynamoDB::Table': ({ SSESpecification }) => SSESpecification?.SSEEnabled === true,
  'AWS::SQS::Queue': ({ SqsManagedSseEnabled, KmsMasterKeyId }) => SqsManagedSseEnabled === true || KmsMasterKeyId !== undefined,
  'AWS::S3::Bucket': ({ BucketEncryption }) => BucketEncryption !== undefined,
}

describe('others’ rules', () => {
  const fits = (pattern: string, text: string) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    ).test(text)
  const covers = ({ rule, resource }: Suppression, finding: Finding) =>
    fits(rule, finding.rule) && fits(resource, finding.resource)

  test('find nothing that is not explained', () => {
    expect(findings.filter((finding) => !SUPPRESSIONS.some((suppression) => covers(suppression, finding)))).toEqual([])
  })

  test.each(SUPPRESSIONS)('$rule on $resource still has to be explained', (suppression) => {
    expect(findings.some((finding) => covers(suppression, finding))).toBe(true)
  })
})

describe('a stage', () => {
  test('keeps its data where that is production, and is easy to throw away elsewhere', () => {
    expect(dev.Resources.Table).toMatchObject({ DeletionPolicy: 'Delete', Properties: { DeletionProtectionEnabled: false } })
    expect(prod.Resources.Table).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    })
  })

  test('has its own names', () => {
    for (const [template, stage] of [
      [dev, 'dev'],
      [prod, 'prod'],
    ] as const) {
      expect(propertiesOf(template, 'Table').TableName).toBe(`masthead-${stage}`)
      expect(propertiesOf(template, 'LoginLambdaFunction').FunctionName).toBe(`masthead-${stage}-login`)
      expect(propertiesOf(template, 'DeadLetters').QueueName).toBe(`masthead-${stage}-dead-letters`)
    }
  })

  test('lets fewer requests through to the hash than to the rest', () => {
    for (const template of [dev, prod]) {
      const { DefaultRouteSettings, RouteSettings } = propertiesOf(template, 'HttpApiStage')
      expect(Object.keys(RouteSettings)).toEqual(['POST /api/v1/login', 'POST /api/v1/sessions'])
      for (const { ThrottlingRateLimit, ThrottlingBurstLimit } of Object.values(
        RouteSettings,
      ) as (typeof DefaultRouteSettings)[]) {
        expect(ThrottlingRateLimit).toBeLessThan(DefaultRouteSettings.ThrottlingRateLimit)
        expect(ThrottlingBurstLimit).toBeLessThan(DefaultRouteSettings.ThrottlingBurstLimit)
      }
    }
  })

  test('keeps its logs for a time, as JSON', () => {
    for (const [template, days] of [
      [dev, 14],
      [prod, 90],
    ] as const)
      for (const [, { Properties }] of ofType(template, 'AWS::Logs::LogGroup')) expect(Properties.RetentionInDays).toBe(days)
    expect(JSON.parse(propertiesOf(prod, 'HttpApiStage').AccessLogSettings.Format)).toMatchObject({
      routeKey: '$context.routeKey',
    })
    expect(propertiesOf(prod, 'LoginLambdaFunction').LoggingConfig.LogFormat).toBe('JSON')
  })

  test('is traced where it is asked for, and its roles may write traces only then', () => {
    expect(propertiesOf(dev, 'LoginLambdaFunction').TracingConfig).toEqual({ Mode: 'Active' })
    expect(JSON.stringify(propertiesOf(dev, 'LoginRole'))).toContain('xray:PutTraceSegments')
    expect(JSON.stringify(prod)).not.toMatch(/xray|TracingConfig/)
  })

  test('has a domain of its own where one is given, and then no other name', () => {
    expect(propertiesOf(prod, 'HttpApi').DisableExecuteApiEndpoint).toBe(true)
    expect(propertiesOf(dev, 'HttpApi').DisableExecuteApiEndpoint).toBe(false)
    expect(propertiesOf(prod, 'Domain').DomainName).toBe('api.example.com')
  })

  test('tells the topic of every alarm', () => {
    const alarms = ofType(prod, 'AWS::CloudWatch::Alarm')
    expect(alarms).toHaveLength(6)
    for (const [, { Properties }] of alarms) expect(JSON.stringify(Properties.AlarmActions)).toContain(TOPIC)
    const { DashboardBody } = propertiesOf(prod, 'Dashboard')
    expect(JSON.parse(DashboardBody['Fn::Sub']).widgets).toHaveLength(10)
  })

  test('answers browsers of the origins that are given', async () => {
    expect(propertiesOf(prod, 'HttpApi').CorsConfiguration).toBeUndefined()
    const cors = '    cors: { allowedOrigins: [https://example.com], allowedHeaders: [authorization], allowedMethods: [GET] }\n'
    const open = await compile('dev', [], (yml) => yml.replace(/^ {4}cors: false.*\n/m, cors))
    expect(propertiesOf(open, 'HttpApi').CorsConfiguration).toMatchObject({ AllowOrigins: ['https://example.com'] })
  })
})
