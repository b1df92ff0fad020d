import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { tableProperties } from '#tools/service.ts'

/** The credentials and the region that a local engine is given: it wants some and checks none. */
export const LOCAL = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }

/** Creates the table of serverless.yml's own resource on an engine; one that is there already is left as it is. */
export async function ensureTable(endpoint: string, name: string): Promise<void> {
  const client = new DynamoDBClient({ ...LOCAL, endpoint })
  try {
    if (!(await exists(client, name))) await create(client, name)
  } finally {
    client.destroy()
  }
}

async function exists(client: DynamoDBClient, TableName: string): Promise<boolean> {
  try {
    await client.send(new DescribeTableCommand({ TableName }))
    return true
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return false
    throw error
  }
}

async function create(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveSpecification, StreamSpecification, BillingMode, AttributeDefinitions, KeySchema } = tableProperties()
  // CloudFormation takes the stream's view type alone, the API wants to be told that there is a stream
  const stream = { ...StreamSpecification, StreamEnabled: true }
  await client.send(
    new CreateTableCommand({ TableName, BillingMode, AttributeDefinitions, KeySchema, StreamSpecification: stream }),
  )
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
}
