import { readFileSync } from 'node:fs'
import type { CreateTableCommandInput, TimeToLiveSpecification } from '@aws-sdk/client-dynamodb'
import { parse } from 'yaml'

export interface StreamEvent {
  batchSize: number
  parallelizationFactor: number
  maximumRetryAttempts: number
  filterPatterns: object[]
}

export interface FunctionEvent {
  httpApi?: string
  stream?: StreamEvent
}

export interface ServiceFunction {
  handler: string
  /** what it may do to the table: DynamoDB's actions, and grants of `custom.grants` */
  table: string[]
  events: FunctionEvent[]
  timeout?: number
  memorySize?: number
}

type Design = 'BillingMode' | 'AttributeDefinitions' | 'KeySchema' | 'StreamSpecification'

/** What makes a table this one, wherever it is; the rest is a matter of the stage. */
export interface TableProperties extends Pick<CreateTableCommandInput, Design> {
  TimeToLiveSpecification: TimeToLiveSpecification
}

/** serverless.yml as written, its `${...}` variables not resolved. */
export interface Service {
  service: string
  provider: { runtime: string; timeout: number; memorySize: number }
  functions: Record<string, ServiceFunction>
}

/** Reads serverless.yml, the one place that knows the routes. */
export const service = (): Service => read('serverless.yml')

/** The table as CloudFormation makes it. */
export const tableProperties = (): TableProperties => read('resources/table.yml').Resources.Table.Properties

const read = (file: string) => parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
