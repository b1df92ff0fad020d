import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { tableConfig } from '#lib/config.ts'

let client: DynamoDBDocumentClient | undefined

/** The one client of this Lambda: made at its first use, kept warm between invocations, never holding anything of a request. */
export function documentClient(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(connect(), { marshallOptions: { removeUndefinedValues: true } })
  return client
}

function connect(): DynamoDBClient {
  const { AWS_REGION: region, AWS_ENDPOINT_URL_DYNAMODB: endpoint } = tableConfig()
  return new DynamoDBClient({ region, ...(endpoint !== undefined && { endpoint }) })
}
