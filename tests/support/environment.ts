import { randomUUID } from 'node:crypto'
import { LOCAL } from '#tools/table.ts'

Object.assign(process.env, {
  TABLE_NAME: `masthead-${randomUUID()}`,
  AWS_REGION: LOCAL.region,
  AWS_ACCESS_KEY_ID: LOCAL.credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: LOCAL.credentials.secretAccessKey,
  JWT_SECRET: 'a secret of at least thirty-two bytes, for tests',
  BCRYPT_COST: '4',
  LOG_LEVEL: 'error',
  // Of a busy machine, not of the table: tests/functions/faults.test.ts has the real one.
  TABLE_TIMEOUT_MS: '20000',
  // A test of a limit sets its own; all others come from one address and must not meet any.
  LOGIN_FAILURES_PER_SOURCE: '1000000',
  LOGIN_FAILURES: '1000000',
  SOURCE_FAILURES: '1000000',
  TENANT_WRITES_PER_MINUTE: '1000000',
})
