import { randomBytes } from 'node:crypto'
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { Problem } from '#tools/problem.ts'

const newValue = (): string => randomBytes(32).toString('hex')

/** As serverless.yml names it to CloudFormation. */
const nameOf = (stage: string): string => `masthead/${stage}/jwt`

/**
 * Gives a stage a new secret. Secrets Manager keeps two by itself: with each new value AWSCURRENT becomes AWSPREVIOUS. A secret that is
 * new gets a second value at once, since CloudFormation could not find a previous one. No value is shown or kept here.
 */
export async function rotateSecret(stage: string, region: string): Promise<{ name: string; created: boolean }> {
  const client = new SecretsManagerClient({ region })
  const name = nameOf(stage)
  try {
    const created = await create(client, name)
    await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: newValue() }))
    return { name, created }
  } catch (error) {
    throw new Problem(`${name} cannot be changed in ${region}: ${(error as Error).message}`, { cause: error })
  } finally {
    client.destroy()
  }
}

async function create(client: SecretsManagerClient, Name: string): Promise<boolean> {
  const Description = 'Signs and verifies what Masthead hands out: JWTs, cursors.'
  try {
    await client.send(new CreateSecretCommand({ Name, Description, SecretString: newValue() }))
    return true
  } catch (error) {
    if (error instanceof ResourceExistsException) return false
    throw error
  }
}
