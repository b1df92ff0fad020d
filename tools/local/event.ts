import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Match } from '#tools/local/router.ts'

/** What API Gateway's HTTP API hands to a function, payload format 2.0: repeated headers and query values joined by a comma. */
export function toEvent(request: IncomingMessage, body: Buffer, { routeKey, params }: Match): APIGatewayProxyEventV2 {
  const { cookie, ...headers } = joinedHeaders(request)
  const { path, search } = splitUrl(request)
  const query = joinedQuery(new URLSearchParams(search))
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: search,
    ...(cookie && { cookies: cookie.split('; ') }),
    headers,
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(Object.keys(params).length > 0 && { pathParameters: params }),
    requestContext: requestContext(request, path, routeKey),
    ...encodedBody(body, headers['content-type']),
  }
}

/** The path and the query as they were sent. */
export function splitUrl({ url = '/' }: IncomingMessage): { path: string; search: string } {
  const [path = '', ...search] = url.split('?')
  return { path, search: search.join('?') }
}

const joinedHeaders = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]))

const joinedQuery = (given: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...new Set(given.keys())].map((name) => [name, given.getAll(name).join(',')]))

function requestContext({ method = '', httpVersion, headers, socket }: IncomingMessage, path: string, routeKey: string) {
  const now = new Date()
  const userAgent = headers['user-agent'] ?? ''
  return {
    accountId: '000000000000',
    apiId: 'local',
    domainName: headers.host ?? '',
    domainPrefix: 'local',
    http: { method, path, protocol: `HTTP/${httpVersion}`, sourceIp: socket.remoteAddress ?? '', userAgent },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: now.toUTCString(),
    timeEpoch: now.getTime(),
  }
}

/** JSON and text arrive as text when they are UTF-8, all else in base64, forms too; no body is no key. */
function encodedBody(body: Buffer, contentType = 'application/json') {
  if (body.length === 0) return { isBase64Encoded: false }
  const isText = isUtf8(body) && /^\s*(text\/|application\/(json|javascript|xml)\b)/i.test(contentType)
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText }
}
