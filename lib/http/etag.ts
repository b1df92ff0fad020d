import { createHash } from 'node:crypto'
import { type HttpEvent, type HttpResponse, header, type Middleware } from './request.ts'

const TAG = /(W\/)?("[^"]*")/g
/** As many digits as are always an exact integer. */
const VERSION_TAG = /^"([1-9]\d{0,14})"$/

/** As many as fit well into one condition of DynamoDB's (4 KB, 300 operators): nobody knows so many versions of a record. */
const MAX_VERSIONS = 100

/** A record's version; what a view leaves without one is tagged by its content (RFC 9110, 8.8.3: strong). */
export function entityTag(record: object, body: string): string {
  if ('version' in record && record.version !== undefined) return `"${record.version}"`
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

/** The opaque tags of a list; a weak one has lost its mark where `weakly` compares them (RFC 9110, 8.8.3.2), and is left out otherwise. */
const tagsOf = (list: string, weakly: boolean): string[] =>
  [...list.matchAll(TAG)].flatMap(([, weak, tag = '']) => (weak && !weakly ? [] : [tag]))

/** The version that one of our tags stands for. */
function versionOf(tag: string): number[] {
  const digits = VERSION_TAG.exec(tag)?.[1]
  return digits === undefined ? [] : [Number(digits)]
}

const versionsOf = (list: string): number[] => [...new Set(tagsOf(list, false).flatMap(versionOf))].slice(0, MAX_VERSIONS)

/** Reads `If-Match` as the versions it allows. What is none of our tags allows no version. */
export function ifMatch(): Middleware {
  return {
    before: ({ event }) => {
      const list = header(event, 'if-match')
      if (list !== undefined && list.trim() !== '*') event.known.ifMatch = versionsOf(list)
    },
  }
}

/** The response to a GET whose client has the record already: 304 without a body. */
export function unlessMatched(event: HttpEvent, response: HttpResponse): HttpResponse {
  const list = header(event, 'if-none-match')
  const { etag = '' } = response.headers
  if (event.requestContext.http.method !== 'GET' || list === undefined || etag === '') return response
  const isKnown = list.trim() === '*' || tagsOf(list, true).includes(etag)
  return isKnown ? { statusCode: 304, headers: response.headers } : response
}
