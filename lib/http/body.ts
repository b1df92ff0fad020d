import httpJsonBodyParser from '@middy/http-json-body-parser'
import { failure } from '#lib/errors.ts'
import { type Fields, requireFields, singleValues, validate } from './input.ts'
import { type HttpEvent, header, type Middleware } from './request.ts'
import type { Spec } from './spec.ts'

const MAX_BYTES = 1_048_576
const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const parser = httpJsonBodyParser({ disableContentTypeCheck: true })
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads the request's body: 413, 415, 400, 403, 422, in this order. Without a schema a body is not looked at. */
export function body(spec: Pick<Spec, 'body' | 'bodyFor' | 'form' | 'restricted'>): Middleware {
  return {
    before: ({ event }) => {
      if (!spec.body) return
      const bytes = bytesOf(event)
      const isForm = spec.form !== undefined && mediaType(event) === FORM_TYPE
      const schema = (isForm && spec.form) || schemaFor(spec, event) || spec.body
      const { values, repeated } = isForm ? readForm(bytes, schema) : readJson(bytes, mediaType(event))
      refuseRestricted(spec.restricted, event, values)
      requireFields(schema, values)
      event.known.body = validate(schema, values, repeated)
    },
  }
}

const schemaFor = ({ bodyFor }: Pick<Spec, 'bodyFor'>, { known: { actor, tenant } }: HttpEvent) =>
  actor && tenant && bodyFor?.(actor, tenant)

function refuseRestricted(restricted: Spec['restricted'] = {}, { known: { actor } }: HttpEvent, value: object): void {
  const named = Object.keys(restricted).filter((name) => Object.hasOwn(value, name))
  if (actor && named.some((name) => !restricted[name]?.(actor))) throw failure('Forbidden')
}

const mediaType = (event: HttpEvent): string => header(event, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() || JSON_TYPE

function bytesOf({ body, isBase64Encoded }: HttpEvent): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : Buffer.alloc(0)
  if (bytes.length > MAX_BYTES) throw failure('BodyTooLarge')
  return bytes
}

type Given = { values: object; repeated?: string[] }

const readForm = (bytes: Buffer, schema: Fields<unknown>): Given =>
  singleValues(new URLSearchParams(bytes.toString()), Object.keys(schema.shape))

function readJson(bytes: Buffer, type: string): Given {
  if (bytes.length === 0) return { values: {} }
  if (type !== JSON_TYPE) throw failure('UnsupportedMediaType')
  const value = parseJson(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw failure('InvalidBody')
  return { values: value }
}

/** Strict UTF-8; a BOM stays and is no JSON. middy's parser refuses `__proto__` as a key as well. */
function parseJson(bytes: Buffer): unknown {
  try {
    const event = { body: utf8.decode(bytes), isBase64Encoded: false }
    parser.before?.({ event } as never)
    return event.body
  } catch {
    // Without its cause: that carries the body, which no log may show.
    throw failure('InvalidBody')
  }
}
