import { afterEach, describe, expect, test, vi } from 'vitest'
import { rotateSecret } from '#tools/jwt-secret.ts'
import { Refusal, startAws } from './aws.ts'

let stop = () => {}

afterEach(() => {
  stop()
  vi.unstubAllEnvs()
})

/** A stand-in for Secrets Manager, which keeps the values that it was given. */
async function secretsManager({ exists }: { exists: boolean }) {
  const values: string[] = []
  const store = ({ SecretString }: { SecretString: string }) => {
    values.push(SecretString)
    return {}
  }
  const service = await startAws({
    CreateSecret: (input) => {
      if (exists) throw new Refusal('ResourceExistsException')
      return store(input)
    },
    PutSecretValue: store,
  })
  stop = service.stop
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', service.endpoint)
  return { ...service, values }
}

describe('npm run secret', () => {
  test('makes a secret with two values, so that there is a previous one from the beginning', async () => {
    const { calls, values } = await secretsManager({ exists: false })
    expect(await rotateSecret('staging', 'us-east-1')).toEqual({ name: 'masthead/staging/jwt', created: true })
    expect(calls.map(({ operation }) => operation)).toEqual(['CreateSecret', 'PutSecretValue'])
    expect(new Set(values).size).toBe(2)
    for (const value of values) expect(value).toMatch(/^[0-9a-f]{64}$/)
  })

  test('gives one that is there a new value: Secrets Manager makes the current one the previous', async () => {
    const { calls, values } = await secretsManager({ exists: true })
    expect(await rotateSecret('prod', 'us-east-1')).toEqual({ name: 'masthead/prod/jwt', created: false })
    expect(calls.at(-1)).toMatchObject({ operation: 'PutSecretValue', input: { SecretId: 'masthead/prod/jwt' } })
    expect(values).toHaveLength(1)
  })

  test('never says a value', async () => {
    const { values } = await secretsManager({ exists: false })
    const said = JSON.stringify(await rotateSecret('dev', 'us-east-1'))
    for (const value of values) expect(said).not.toContain(value)
  })

  test('says what it was refused', async () => {
    const service = await startAws({})
    stop = service.stop
    vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', service.endpoint)
    await expect(rotateSecret('dev', 'us-east-1')).rejects.toThrow('masthead/dev/jwt cannot be changed in us-east-1: refused')
  })
})
