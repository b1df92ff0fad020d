import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { digestToken } from '#lib/auth/tokens.ts'
import { ask } from '#tests/support/answers.ts'
import { tableClient } from '#tests/support/table.ts'
import { newAdmin } from '#tests/support/world.ts'
import { routes } from '#tools/routes.ts'

/** They look at no Authorization header. */
const PUBLIC = ['login', 'createSession']

const NAMES = [...new Set(routes().map(({ name }) => name))].filter((name) => !PUBLIC.includes(name))

describe('the first use of an API key in a day is noted', () => {
  let token: string

  beforeAll(async () => {
    const { body } = await ask('createApiKey', { as: await newAdmin(), body: { name: 'A key', scope: 'read' } })
    token = body.key.token
  })

  const update = (UpdateExpression: string) =>
    tableClient().send(
      new UpdateCommand({
        TableName: process.env.TABLE_NAME,
        Key: { pk: `TOKEN#${digestToken(token)}`, sk: 'TOKEN' },
        UpdateExpression,
        ReturnValues: 'ALL_OLD',
      }),
    )

  // A role that may not write the day leaves the request as it is: nobody would notice.
  test.each(NAMES)('by %s', async (name) => {
    await update('REMOVE last_used_on')
    await ask(name, { as: { token } })
    const { Attributes } = await update('REMOVE last_used_on')
    expect(Attributes?.last_used_on).toMatch(/^\d{4}-\d\d-\d\d$/)
  })
})
