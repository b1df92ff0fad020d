import type { HttpResponse, Middleware, Request } from './request.ts'

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
}

const READABLE = { 'cache-control': 'private, no-cache', vary: 'Authorization' }
const UNCACHEABLE = { 'cache-control': 'no-store' }

const isReadable = (method: string, status: number): boolean => method === 'GET' && (status === 200 || status === 304)

const content = ({ body }: HttpResponse) => (body === undefined ? {} : { 'content-type': 'application/json' })

/** The headers that every response has, errors included. Used first: middy then runs it last. */
export function standardHeaders(): Middleware {
  const addHeaders = (request: Request): void => {
    const { response, event, context } = request
    if (!response) return
    const { 'Content-Type': _, ...given } = response.headers
    const caching = isReadable(event.requestContext?.http?.method, response.statusCode) ? READABLE : UNCACHEABLE
    response.headers = { ...given, ...content(response), ...caching, ...ALWAYS, 'x-request-id': context.awsRequestId }
  }
  return { after: addHeaders, onError: addHeaders }
}
