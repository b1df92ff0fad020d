import type { MiddlewareObj, Request as MiddyRequest } from '@middy/core'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import type { Actor } from '#lib/auth/actor.ts'
import type { Once } from '#lib/table/creation.ts'
import type { TenantId } from '#lib/table/keys.ts'
import type { Versions } from '#lib/table/preconditions.ts'

/** What the middlewares find out about a request, each its own part. */
export type Known = {
  /** The caller's address, as API Gateway saw it. */
  source: string
  actor?: Actor
  tenant?: TenantId
  params?: unknown
  query?: unknown
  body?: unknown
  once?: Once
  ifMatch?: Versions
}

/** An API Gateway event (payload 2.0) on its way through the middlewares. */
export type HttpEvent = APIGatewayProxyEventV2 & { known: Known }

export type HttpResponse = { statusCode: number; headers: Record<string, string>; body?: string }

export type Request = MiddyRequest<HttpEvent, HttpResponse, Error, Context>

export type Middleware = MiddlewareObj<HttpEvent, HttpResponse, Error, Context>

/** One header of the request, whatever its case; repeated ones come joined by a comma. */
export function header(event: HttpEvent, name: string): string | undefined {
  const found = Object.keys(event.headers ?? {}).find((given) => given.toLowerCase() === name)
  return found === undefined ? undefined : event.headers[found]
}
