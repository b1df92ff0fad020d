import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { keys } from '#lib/table/keys.ts'
import { ask } from '#tests/support/answers.ts'
import { tableClient } from '#tests/support/table.ts'
import { newAdmin, type Person } from '#tests/support/world.ts'
import { routes } from '#tools/routes.ts'

/** They look at no Authorization header. */
const PUBLIC = ['login', 'createSession']

const NAMES = [...new Set(routes().map(({ name }) => name))].filter((name) => !PUBLIC.includes(name))

describe('the first use of an API key in a day is noted', () => {
  let key: { id: number; token: string }
  let admin: Person

  beforeAll(async () => {
    admin = await newAdmin()
    key = (await ask('createApiKey', { as: admin, body: { name: 'A key', scope: 'read' } })).body.key
  })

  const update = (UpdateExpression: string) =>
    tableClient().send(
      new UpdateCommand({
        TableName: process.env.TABLE_NAME,
        Key: keys.apiKey(admin.id, key.id),
        UpdateExpression,
        ReturnValues: 'ALL_OLD',
      }),
    )

  // A role that may not write the day leaves the request as it is: nobody would notice.
  test.each(NAMES)('by %s', async (name) => {
    await update('REMOVE last_used_on')
    await ask(name, { as: key })
    const { Attributes } = await update('REMOVE last_used_on')
    expect(Attributes?.last_used_on).toMatch(/^\d{4}-\d\d-\d\d$/)
  })
})
