import { entityTag, unlessMatched } from './etag.ts'
import type { HttpEvent, HttpResponse } from './request.ts'
import type { Spec } from './spec.ts'

/** {base_url} ends with it. */
export const API_PREFIX = '/api/v1'

/** A handler's result as a response. */
export function respond({ status, reply, location }: Spec, event: HttpEvent, result: unknown): HttpResponse {
  if (!reply) return { statusCode: status, headers: {} }
  const body = JSON.stringify(reply.body(result))
  const next = reply.next?.(result)
  const isRecord = !reply.next && event.known.actor !== undefined
  const headers = {
    ...(isRecord && { etag: entityTag(result as object, body) }),
    ...(location && { location: API_PREFIX + location(result) }),
    ...(next && { link: nextLink(event, next) }),
    ...(event.known.once?.replayed && { 'idempotency-replayed': 'true' }),
  }
  return unlessMatched(event, { statusCode: status, headers, body })
}

/** RFC 8288: this request again with the next cursor, whatever else it asked for. */
function nextLink({ rawPath, rawQueryString }: HttpEvent, cursor: string): string {
  const query = new URLSearchParams(rawQueryString)
  query.set('cursor', cursor)
  return `<${rawPath}?${query}>; rel="next"`
}
