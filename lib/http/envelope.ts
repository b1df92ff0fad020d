import { Failure, failure, unavailable } from '#lib/errors.ts'
import { describeError, log } from '#lib/log.ts'
import type { HttpResponse, Middleware } from './request.ts'

/** The body of a failure: authentication's own short form, the envelope for all others. */
function failureBody({ isBare, error, details }: Failure): unknown {
  if (isBare) return { error }
  return { success: false, error, ...(details !== undefined && { details }) }
}

const failureHeaders = ({ status, retryAfterSeconds }: Failure): Record<string, string> => ({
  ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
})

export const renderFailure = (refusal: Failure): HttpResponse => ({
  statusCode: refusal.status,
  headers: failureHeaders(refusal),
  body: JSON.stringify(failureBody(refusal)),
})

/** The bare 500 of the specification: the last resort, without a word of what happened. */
export const LAST_RESORT = JSON.stringify(failureBody(failure('Unexpected')))

/** middy gives up a little before the Lambda's own timeout would. */
function toFailure(error: Error | null | undefined): Failure | undefined {
  if (error?.name === 'TimeoutError') return unavailable(error)
  return error instanceof Failure ? error : undefined
}

/**
 * Turns whatever was thrown into a response; nothing else does. What nobody expected is logged and left to the error handler,
 * which answers with the last resort.
 */
export function envelope(): Middleware {
  return {
    onError: (request) => {
      const { error, event, context } = request
      const { id: user_id, tenant_id } = event.known.actor ?? {}
      const where = { request_id: context.awsRequestId, route: event.routeKey, tenant_id, user_id }
      const refusal = toFailure(error)
      if (!refusal) return log('error', 'Unexpected failure', { ...where, error: describeError(error) })
      if (refusal.status >= 500) log('warn', refusal.message, { ...where, error: describeError(refusal.cause) })
      request.response = renderFailure(refusal)
    },
  }
}
