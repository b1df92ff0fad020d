import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import middy from '@middy/core'
import httpErrorHandler from '@middy/http-error-handler'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { jwtVerify } from 'jose'
import { z } from 'zod'

/**
 * The same work as our createPost in the words of each tool's own first page: a signed token, a read of who it is, a checked body,
 * one conditional write. It has no tenants, no parents and no roles.
 */
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}))
const NewPost = z.object({ title: z.string().min(1).max(200), body: z.string().min(1), created_at: z.iso.datetime().optional() })
const secret = new TextEncoder().encode(process.env.JWT_SECRET)
const TableName = process.env.TABLE_NAME

export const handler = middy<APIGatewayProxyEventV2>()
  .use(httpJsonBodyParser())
  .use(httpErrorHandler())
  .handler(async (event) => {
    const token = event.headers.authorization?.replace('Bearer ', '') ?? ''
    const { payload } = await jwtVerify(token, secret)
    const Key = { pk: `USER#${payload.user_id}`, sk: 'USER' }
    const { Item: user } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))
    if (!user) return { statusCode: 401, body: JSON.stringify({ error: 'Unauthorized' }) }
    const post = { ...NewPost.parse(event.body), id: crypto.randomUUID(), user_id: user.user_id }
    const Item = { pk: `PEER#${user.tenant_id}`, sk: `POST#${post.id}`, ...post }
    await client.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' }))
    return { statusCode: 201, body: JSON.stringify(post) }
  })
