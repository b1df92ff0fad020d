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
  events: FunctionEvent[]
  timeout?: number
  memorySize?: number
}

export interface TableProperties extends Omit<CreateTableCommandInput, 'TableName'> {
  TimeToLiveSpecification: TimeToLiveSpecification
}

/** serverless.yml as written, its `${...}` variables not resolved. */
export interface Service {
  service: string
  provider: { runtime: string; timeout: number; memorySize: number }
  functions: Record<string, ServiceFunction>
  resources: { Resources: { Table: { Properties: TableProperties } } }
}

/** Reads serverless.yml, the one place that knows the routes and the table. */
export function service(): Service {
  return parse(readFileSync(new URL('../serverless.yml', import.meta.url), 'utf8'))
}
