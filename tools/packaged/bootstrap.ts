/**
 * Stands in for AWS's runtime client where that is not built (`npm run ric`): loads the handler that _HANDLER names below
 * LAMBDA_TASK_ROOT and asks the Runtime API for one event after the other. What is loaded here must not be what a bundle is
 * measured by, so it takes Node's modules as a bundle does: an import of node:http would bring undici and http2 along.
 */
const { request } = process.getBuiltinModule('node:http')
const { existsSync } = process.getBuiltinModule('node:fs')
const { join } = process.getBuiltinModule('node:path')
const { text } = process.getBuiltinModule('node:stream/consumers')

type Handler = (event: unknown, context: object) => Promise<unknown>
type Answer = { headers: Record<string, unknown>; body: string }

const { AWS_LAMBDA_RUNTIME_API, LAMBDA_TASK_ROOT = '', _HANDLER = '', AWS_LAMBDA_FUNCTION_NAME } = process.env
const BASE = `http://${AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`

function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const sent = request(`${BASE}/${path}`, { method }, async (response) => {
    resolve({ headers: response.headers, body: await text(response) })
  })
  sent.on('error', reject)
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

function described(error: unknown): object {
  const { name, message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  return { errorType: name, errorMessage: message, trace: stack.split('\n') }
}

async function load(): Promise<Handler> {
  const [file = '', name = ''] = _HANDLER.split('.')
  const module = join(LAMBDA_TASK_ROOT, file)
  const handler = (await import(existsSync(`${module}.mjs`) ? `${module}.mjs` : `${module}.cjs`))[name]
  if (typeof handler !== 'function') throw new Error(`${_HANDLER} is not a function`)
  return handler
}

async function serve(handler: Handler): Promise<void> {
  const { headers, body } = await call('GET', 'invocation/next')
  const awsRequestId = String(headers['lambda-runtime-aws-request-id'])
  const deadline = Number(headers['lambda-runtime-deadline-ms'])
  const context = {
    awsRequestId,
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  }
  try {
    await call('POST', `invocation/${awsRequestId}/response`, await handler(JSON.parse(body), context))
  } catch (error) {
    await call('POST', `invocation/${awsRequestId}/error`, described(error))
  }
}

try {
  const handler = await load()
  for (;;) await serve(handler)
} catch (error) {
  await call('POST', 'init/error', described(error)).catch(() => {})
  process.exit(1)
}
