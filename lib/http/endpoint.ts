import middy from '@middy/core'
import httpErrorHandler from '@middy/http-error-handler'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { bearer } from './bearer.ts'
import { body } from './body.ts'
import { envelope, LAST_RESORT } from './envelope.ts'
import { ifMatch } from './etag.ts'
import { standardHeaders } from './headers.ts'
import { idempotency } from './idempotency.ts'
import { query } from './query.ts'
import type { HttpEvent, HttpResponse } from './request.ts'
import { respond } from './respond.ts'
import { counted, scope } from './scope.ts'
import type { Access, Call, Spec } from './spec.ts'

/** A Lambda's handler, with what it promises: tests and tools read it. */
export type Endpoint = ((event: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse>) & { readonly spec: Spec }

/**
 * One route's Lambda: contract.md's checks, in its order, around a handler. The only place that knows middy's order: `before`
 * runs from first to last, `after` and `onError` from last to first, so the headers come last of all and the envelope before
 * the last resort.
 */
export function endpoint<A extends Access, P = unknown, Q = unknown, B = unknown, R = void>(
  spec: Spec<A, P, Q, B, R>,
  handle: (call: Call<A, P, Q, B>) => Promise<NoInfer<R>>,
): Endpoint {
  const route = spec as unknown as Spec
  const run = middy<HttpEvent, HttpResponse>()
    .use(standardHeaders())
    .use(httpErrorHandler({ logger: false, fallbackMessage: LAST_RESORT }))
    .use(envelope())
    .use(bearer(route))
    .use(scope(route))
    .use(body(route))
    .use(query(route))
    .use(idempotency(route))
    .use(ifMatch())
    .handler(async (event) => respond(route, event, await counted(route, event, () => handle(event.known as never))))
  const answer = async (event: APIGatewayProxyEventV2, context: Context) =>
    run({ ...event, known: { source: event.requestContext.http.sourceIp } }, context)
  return Object.assign(answer, { spec: route })
}
