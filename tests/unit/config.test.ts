import { afterEach, describe, expect, test, vi } from 'vitest'

type Environment = Record<string, string | undefined>

const SECRET = 's'.repeat(32)
const VARIABLES = [
  'TABLE_NAME',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'TABLE_TIMEOUT_MS',
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'JWT_LIFETIME_SECONDS',
  'TOKEN_LIFETIME_SECONDS',
  'LOGIN_TOKEN',
  'BCRYPT_COST',
  'LOGIN_FAILURES_PER_SOURCE',
  'LOGIN_FAILURES',
  'SOURCE_FAILURES',
  'LOCK_SECONDS',
  'LOCK_SECONDS_MAX',
  'TENANT_WRITES_PER_MINUTE',
  'LOG_LEVEL',
  'PRICING',
]

const LIMITS = {
  LOGIN_FAILURES_PER_SOURCE: 5,
  LOGIN_FAILURES: 50,
  SOURCE_FAILURES: 100,
  LOCK_SECONDS: 900,
  LOCK_SECONDS_MAX: 3600,
  TENANT_WRITES_PER_MINUTE: 600,
}

/** The configuration as a function finds it that starts in this environment and no other. */
async function startIn(environment: Environment) {
  vi.resetModules()
  for (const name of VARIABLES) vi.stubEnv(name, environment[name])
  return import('#lib/config.ts')
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

describe('authConfig', () => {
  test('has defaults for all but the secret', async () => {
    const { authConfig } = await startIn({ JWT_SECRET: SECRET })
    expect(authConfig()).toEqual({
      JWT_SECRET: SECRET,
      JWT_LIFETIME_SECONDS: 86_400,
      TOKEN_LIFETIME_SECONDS: 2_592_000,
      LOGIN_TOKEN: 'opaque',
      BCRYPT_COST: 10,
      ...LIMITS,
    })
  })

  test('reads every variable, numbers as numbers', async () => {
    const { authConfig } = await startIn({
      JWT_SECRET: SECRET,
      JWT_SECRET_PREVIOUS: 'p'.repeat(32),
      JWT_LIFETIME_SECONDS: '60',
      TOKEN_LIFETIME_SECONDS: '999999999',
      LOGIN_TOKEN: 'jwt',
      BCRYPT_COST: '12',
      TENANT_WRITES_PER_MINUTE: '1',
    })
    expect(authConfig()).toEqual({
      JWT_SECRET: SECRET,
      JWT_SECRET_PREVIOUS: 'p'.repeat(32),
      JWT_LIFETIME_SECONDS: 60,
      TOKEN_LIFETIME_SECONDS: 999_999_999,
      LOGIN_TOKEN: 'jwt',
      BCRYPT_COST: 12,
      ...LIMITS,
      TENANT_WRITES_PER_MINUTE: 1,
    })
  })

  test('takes an empty variable for an unset one, as serverless.yml passes them on', async () => {
    const { authConfig } = await startIn({
      JWT_SECRET: SECRET,
      JWT_SECRET_PREVIOUS: '',
      JWT_LIFETIME_SECONDS: '',
      TOKEN_LIFETIME_SECONDS: '',
      LOGIN_TOKEN: '',
      BCRYPT_COST: '',
    })
    expect(authConfig()).toMatchObject({ JWT_LIFETIME_SECONDS: 86_400, LOGIN_TOKEN: 'opaque', BCRYPT_COST: 10 })
    expect(authConfig().JWT_SECRET_PREVIOUS).toBeUndefined()
  })

  test('counts the bytes of a secret and not its characters', async () => {
    const { authConfig } = await startIn({ JWT_SECRET: '€'.repeat(11) })
    expect(authConfig().JWT_SECRET).toBe('€'.repeat(11))
  })

  test.each<[string, Environment, string]>([
    ['no secret', {}, 'JWT_SECRET is not set'],
    ['an empty secret', { JWT_SECRET: '' }, 'JWT_SECRET is not set'],
    ['a secret of 31 bytes', { JWT_SECRET: 's'.repeat(31) }, 'JWT_SECRET must have at least 32 bytes'],
    ['a secret of 31 bytes in 16 characters', { JWT_SECRET: `${'é'.repeat(15)}s` }, 'JWT_SECRET must have at least 32 bytes'],
    [
      'a short previous secret',
      { JWT_SECRET: SECRET, JWT_SECRET_PREVIOUS: 'p' },
      'JWT_SECRET_PREVIOUS must have at least 32 bytes',
    ],
    ...['0', '-1', '1.5', '1e3', 'a day', ' 60', '60s', '1000000000', '007'].map((value): [string, Environment, string] => [
      `a lifetime of ${JSON.stringify(value)}`,
      { JWT_SECRET: SECRET, JWT_LIFETIME_SECONDS: value },
      'JWT_LIFETIME_SECONDS is malformed',
    ]),
    ...Object.keys(LIMITS).map((name): [string, Environment, string] => [
      `${name} of 0`,
      { JWT_SECRET: SECRET, [name]: '0' },
      `${name} is malformed`,
    ]),
    ['a token lifetime of 0', { JWT_SECRET: SECRET, TOKEN_LIFETIME_SECONDS: '0' }, 'TOKEN_LIFETIME_SECONDS is malformed'],
    ...['JWT', 'both', 'Opaque'].map((value): [string, Environment, string] => [
      `${value} as the token of a login`,
      { JWT_SECRET: SECRET, LOGIN_TOKEN: value },
      'LOGIN_TOKEN is malformed',
    ]),
    ...['3', '20', '04', '10.0', 'high'].map((value): [string, Environment, string] => [
      `a bcrypt cost of ${value}`,
      { JWT_SECRET: SECRET, BCRYPT_COST: value },
      'BCRYPT_COST is malformed',
    ]),
    [
      'several at once',
      { BCRYPT_COST: 'x', LOGIN_TOKEN: 'y' },
      'JWT_SECRET is not set, LOGIN_TOKEN is malformed, BCRYPT_COST is malformed',
    ],
  ])('names what is wrong with %s', async (_what, environment, problems) => {
    const { authConfig } = await startIn(environment)
    expect(() => authConfig()).toThrow(new Error(`The environment is not complete: ${problems}`))
  })

  test('never quotes a value', async () => {
    const { authConfig } = await startIn({ JWT_SECRET: 'hunter2', LOGIN_TOKEN: 'swordfish' })
    expect(() => authConfig()).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/hunter2|swordfish/) }))
  })

  test('is read once, at its first use', async () => {
    const { authConfig } = await startIn({})
    vi.stubEnv('JWT_SECRET', SECRET)
    const first = authConfig()
    vi.stubEnv('JWT_SECRET', 't'.repeat(32))
    expect(authConfig()).toBe(first)
    expect(first.JWT_SECRET).toBe(SECRET)
  })
})

describe('tableConfig', () => {
  test('needs a table, and has a region and patience', async () => {
    const { tableConfig } = await startIn({ TABLE_NAME: 'masthead' })
    expect(tableConfig()).toEqual({ TABLE_NAME: 'masthead', AWS_REGION: 'us-east-1', TABLE_TIMEOUT_MS: 2_000 })
  })

  test('takes a region and an endpoint', async () => {
    const environment = { TABLE_NAME: 'masthead', AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }
    const { tableConfig } = await startIn(environment)
    expect(tableConfig()).toEqual({ ...environment, TABLE_TIMEOUT_MS: 2_000 })
  })

  test.each<[string, Environment, string]>([
    ['no table', {}, 'TABLE_NAME is not set'],
    ['a log level that is none', { TABLE_NAME: 'masthead', LOG_LEVEL: 'loud' }, 'LOG_LEVEL is malformed'],
  ])('names what is wrong with %s', async (_what, environment, problem) => {
    const { tableConfig } = await startIn(environment)
    expect(() => tableConfig()).toThrow(new Error(`The environment is not complete: ${problem}`))
  })

  test.each(['debug', 'INFO', 'warn', 'Error'])('takes the log level %s', async (LOG_LEVEL) => {
    const { tableConfig } = await startIn({ TABLE_NAME: 'masthead', LOG_LEVEL })
    expect(tableConfig().TABLE_NAME).toBe('masthead')
  })
})

describe('pricingConfig', () => {
  test('has prices and no discounts', async () => {
    const { pricingConfig } = await startIn({})
    const plans = { team: 2900, business: 9900 }
    expect(pricingConfig()).toEqual({ PRICING: { currency: 'EUR', plans, discounts: {} } })
  })

  test('reads plans and discounts', async () => {
    const PRICING = {
      currency: 'CHF',
      plans: { team: 1, business: 2 },
      discounts: { A: { percent: 100 }, B: { amount_cents: 5, last_day: '2027-03-31' } },
    }
    const { pricingConfig } = await startIn({ PRICING: JSON.stringify(PRICING) })
    expect(pricingConfig()).toEqual({ PRICING })
  })

  test('names what is wrong, and not how', async () => {
    const { pricingConfig } = await startIn({ PRICING: '{"currency":"swordfish"}' })
    expect(() => pricingConfig()).toThrow(new Error('The environment is not complete: PRICING is malformed'))
  })
})
