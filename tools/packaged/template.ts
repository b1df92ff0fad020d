import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Worker } from '#tools/local/installation.ts'
import type { Entry } from '#tools/local/router.ts'
import { PACKAGED } from '#tools/packaged/package.ts'

/** One resource of a CloudFormation template, its intrinsic functions as they are written. */
export interface Resource {
  Type: string
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shapes, of which each reader knows its part
  Properties: any
}

export type Template = { Resources: Record<string, Resource> }

export interface PackagedFunction {
  /** its name in serverless.yml */
  name: string
  /** in the template */
  logicalId: string
  handler: string
  zip: string
  timeout: number
  memorySize: number
  environment: Record<string, unknown>
}

export const readTemplate = (): Template =>
  JSON.parse(readFileSync(join(PACKAGED, 'cloudformation-template-update-stack.json'), 'utf8'))

const ofType = ({ Resources }: Template, type: string): [string, Resource['Properties']][] =>
  Object.entries(Resources).flatMap(([id, { Type, Properties }]) => (Type === type ? [[id, Properties]] : []))

/** Every Lambda of the template. */
export const functionsOf = (template: Template): PackagedFunction[] =>
  ofType(template, 'AWS::Lambda::Function').map(([logicalId, { Code, Handler, Timeout, MemorySize, Environment }]) => ({
    name: basename(Code.S3Key, '.zip'),
    logicalId,
    handler: Handler,
    zip: join(PACKAGED, basename(Code.S3Key)),
    timeout: Timeout,
    memorySize: MemorySize,
    environment: Environment?.Variables ?? {},
  }))

/** Each route's key and the function behind its integration; one that API Gateway may not invoke is left out. */
function routesOf(template: Template): { routeKey: string; name: string }[] {
  const names = new Map(functionsOf(template).map(({ logicalId, name }) => [logicalId, name]))
  const allowed = new Set(
    ofType(template, 'AWS::Lambda::Permission')
      .filter(([, { Principal, Action }]) => Principal === 'apigateway.amazonaws.com' && Action === 'lambda:InvokeFunction')
      .map(([, { FunctionName }]) => referenced(FunctionName)),
  )
  return ofType(template, 'AWS::ApiGatewayV2::Route').flatMap(([, { RouteKey, Target }]) => {
    const integration = template.Resources[referenced(Target)]?.Properties
    const logicalId = referenced(integration?.IntegrationUri)
    const name = names.get(logicalId)
    return name !== undefined && allowed.has(logicalId) ? [{ routeKey: RouteKey as string, name }] : []
  })
}

/** The routing table behind API Gateway, and where everything else goes. */
export function entriesOf(template: Template): { entries: Entry[]; fallback: string } {
  const routes = routesOf(template)
  const entries = routes.flatMap(({ routeKey, name }) => {
    const [method = '', path] = routeKey.split(' ')
    return path === undefined ? [] : [{ name, method, path }]
  })
  return { entries, fallback: routes.find(({ routeKey }) => routeKey === '$default')?.name ?? 'no route' }
}

/** The functions that read the table's stream. */
export function workersOf(template: Template): Worker[] {
  const names = new Map(functionsOf(template).map(({ logicalId, name }) => [logicalId, name]))
  return ofType(template, 'AWS::Lambda::EventSourceMapping').map(([, mapping]) => ({
    name: names.get(referenced(mapping.FunctionName)) ?? '',
    stream: {
      batchSize: mapping.BatchSize,
      parallelizationFactor: mapping.ParallelizationFactor,
      maximumRetryAttempts: mapping.MaximumRetryAttempts,
      filterPatterns: mapping.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern)),
    },
  }))
}

/** The logical id that an intrinsic function names: `Ref`, `Fn::GetAtt`, or one of them within a `Fn::Join`. */
function referenced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, unknown>
  if (typeof Ref === 'string') return Ref
  if (Array.isArray(attribute)) return attribute[0]
  return Array.isArray(join) ? ((join[1] as unknown[]).map(referenced).find((id) => id !== '') ?? '') : ''
}

/** A value of the template as the deployed stack would have it; a table's reference is its name. */
export function resolveValue(template: Template, value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    const table = template.Resources[referenced(value)]?.Properties?.TableName
    if (typeof table !== 'string') throw new Error(`Cannot resolve ${JSON.stringify(value)}`)
    return table
  }
  return String(value)
}
