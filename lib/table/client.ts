import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { tableConfig } from '#lib/config.ts'

let client: DynamoDBDocumentClient | undefined

/** The one client of this Lambda: made at its first use, kept warm between invocations, never holding anything of a request. */
export function documentClient(): DynamoDBDocumentClient {
  client ??= DynamoDBDocumentClient.from(connect(), { marshallOptions: { removeUndefinedValues: true } })
  return client
}

/**
 * The SDK would wait for minutes. A request has two round trips in sequence and its Lambda ten seconds: three sendings of each, of
 * which a healthy table answers the first within milliseconds, leave time for a 503.
 */
const patience = (requestTimeout: number) => ({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: requestTimeout / 2, requestTimeout, throwOnRequestTimeout: true },
})

function connect(): DynamoDBClient {
  const { AWS_REGION: region, AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_TIMEOUT_MS } = tableConfig()
  // The SDK would take a string apart anew in every request.
  const url = new URL(endpoint ?? endpointOf(region))
  return new DynamoDBClient({ region, endpoint: { url }, ...patience(TABLE_TIMEOUT_MS) })
}

/** Where a region's DynamoDB is. The SDK would work it out anew in every request, by rules that a bundle is spared. */
export const endpointOf = (region: string): string =>
  `https://dynamodb.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
