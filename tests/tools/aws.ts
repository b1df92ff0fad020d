import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

// biome-ignore lint/suspicious/noExplicitAny: each operation's own input
type Answers = Record<string, (input: any) => object>

/** What an operation throws: the name of an exception of AWS. */
export class Refusal extends Error {}

/**
 * Stands in for services of AWS that speak its JSON protocol, on loopback: an answer for each operation by its name, and every
 * call as it came. https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
 */
export async function startAws(answers: Answers) {
  const calls: { operation: string; input: unknown }[] = []
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    const input = await json(request)
    calls.push({ operation, input })
    const [status, body] = answer(answers, operation, input)
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => void server.close().closeAllConnections()
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, stop }
}

function answer(answers: Answers, operation: string, input: unknown): [status: number, body: object] {
  try {
    const known = answers[operation]
    if (!known) throw new Refusal('UnknownOperationException')
    return [200, known(input)]
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [400, { __type: error.message, message: 'refused' }]
  }
}
