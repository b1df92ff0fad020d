import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { routes } from '#tools/routes.ts'
import { recorded } from './record.ts'

export type HttpResponse = { statusCode: number; headers: Record<string, string>; body?: string }

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<HttpResponse>

export type CallRequest = {
  /** Whose token goes along: anything that has one. */
  as?: { token: string } | undefined
  params?: Record<string, string | number>
  query?: string | Record<string, string | number>
  /** A value is sent as JSON, a string or a buffer as it is. */
  body?: unknown
  headers?: Record<string, string>
  /** The caller's address; a new one each time unless given. */
  from?: string
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the body's fields and asserts what they are
export type CallResponse = { status: number; headers: Record<string, string>; body: any }

const ROUTES = routes()

/** The route key and the path that serverless.yml gives a handler, filled with the parameters. */
function address(name: string, params: Record<string, string | number>) {
  const known = ROUTES.filter((route) => route.name === name)
  const route = known.find(({ params: names }) => names.length === Object.keys(params).length) ?? known[0]
  if (!route) return { method: 'GET', path: '/nowhere', routeKey: '$default' }
  const path = route.path.replace(/{(\w+)}/g, (_, param: string) => encodeURIComponent(String(params[param])))
  return { method: route.method, path, routeKey: `${route.method} ${route.path}` }
}

const queryString = (query: CallRequest['query'] = ''): string =>
  typeof query === 'string'
    ? query
    : new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)] as [string, string])).toString()

function payload(body: unknown): { body?: string; isBase64Encoded: boolean } {
  if (body === undefined) return { isBase64Encoded: false }
  if (Buffer.isBuffer(body)) return { body: body.toString('base64'), isBase64Encoded: true }
  return { body: typeof body === 'string' ? body : JSON.stringify(body), isBase64Encoded: false }
}

const newAddress = (): string => `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`

/** An API Gateway event (payload 2.0) for a function of serverless.yml. */
export function eventFor(
  name: string,
  { as, params = {}, query, body, headers = {}, from = newAddress() }: CallRequest,
): APIGatewayProxyEventV2 {
  const { method, path, routeKey } = address(name, params)
  const rawQueryString = queryString(query)
  const sent = {
    ...(as && { authorization: `Bearer ${as.token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: from, userAgent: 'tests' }
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString,
    headers: sent,
    pathParameters: Object.fromEntries(Object.entries(params).map(([k, v]) => [k, String(v)])),
    ...payload(body),
    requestContext: { http, requestId: 'gateway', routeKey, stage: '$default' },
  } as unknown as APIGatewayProxyEventV2
}

// Without getRemainingTimeInMillis: middy would set a timer by it.
export const contextFor = (name: string): Context => ({ awsRequestId: randomUUID(), functionName: name }) as unknown as Context

/** Calls a function of serverless.yml by its name, through its real handler. */
export async function call(name: string, request: CallRequest = {}): Promise<CallResponse> {
  const handler = await handlerOf(name)
  const { statusCode, headers, body } = await recorded(name, () => handler(eventFor(name, request), contextFor(name)))
  return { status: statusCode, headers, body: body === undefined ? undefined : JSON.parse(body) }
}

async function handlerOf(name: string): Promise<Handler> {
  const file = ROUTES.find((route) => route.name === name)?.handler.replace(/\.handler$/, '.ts') ?? 'functions/missing.ts'
  return (await import(/* @vite-ignore */ `../../${file}`)).handler
}
