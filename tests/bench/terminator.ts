import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { forwardTo } from './forward.ts'

/** A way to the table, as the environment of a function says it. */
export interface Link {
  environment: Record<string, string>
  isEncrypted: boolean
  stop(): void
}

/** TLS 1.3 in front of the engine, as between Lambda and DynamoDB; where there is no openssl to make a certificate, without. */
export async function linkTo(endpoint: string): Promise<Link> {
  const folder = mkdtempSync(join(tmpdir(), 'masthead-tls-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const file = (name: string) => join(folder, name)
  try {
    execFileSync('openssl', [...REQUEST, '-keyout', file('key'), '-out', file('certificate')], { stdio: 'ignore' })
  } catch {
    return { environment: { AWS_ENDPOINT_URL_DYNAMODB: endpoint }, isEncrypted: false, stop: () => {} }
  }
  const identity = {
    key: readFileSync(file('key')),
    cert: readFileSync(file('certificate')),
    minVersion: 'TLSv1.3',
    noDelay: true,
  } as const
  const forward = forwardTo(() => new URL(endpoint))
  const server = createServer(identity, forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: file('certificate'),
    },
    isEncrypted: true,
    stop: () => server.close(),
  }
}

const REQUEST = [
  ...['req', '-x509', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
  ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
]
