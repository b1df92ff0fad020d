import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { endpointOf } from '#lib/table/client.ts'

test.each(['us-east-1', 'eu-central-1', 'us-gov-west-1', 'cn-north-1'])(
  'DynamoDB of %s is where the SDK would look',
  (region) => {
    const { endpointProvider } = new DynamoDBClient({ region }).config
    expect(endpointOf(region)).toBe(endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false }).url.origin)
  },
)
