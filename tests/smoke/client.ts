import { expect, inject } from 'vitest'
import { routes } from '#tools/routes.ts'

const PREFIX = '/api/v1'
const BASE = inject('service').url
const REQUEST_TIMEOUT_MS = 20_000

export interface Sent {
  /** the token that goes along */
  as?: string | undefined
  /** a value goes as JSON, a string and form parameters as they are */
  body?: unknown
  headers?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads the body's fields and asserts what they are
export type Answer = { status: number; headers: Headers; body: any }

const ROUTES = routes().map((route) => ({
  ...route,
  key: `${route.method} ${route.path}`,
  pattern: new RegExp(`^${route.path.replaceAll(/{\w+}/g, '[^/]+')}$`),
}))

const served = new Set<string>()

/** The routes of serverless.yml that have not yet answered with a success. */
export const unserved = (): string[] => ROUTES.map(({ key }) => key).filter((key) => !served.has(key))

/** The path below the version's prefix that a `Location` or a `Link` names. */
export const pathOf = (reference: string): string => reference.replace(PREFIX, '')

/** Sends a request to a path below the version's prefix, and checks what holds for every answer. */
export async function send(method: string, path: string, { as, body, headers = {} }: Sent = {}): Promise<Answer> {
  const response = await fetch(BASE + path, {
    method,
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    headers: { ...(as && { authorization: `Bearer ${as}` }), ...typeOf(body), ...headers },
    ...(body !== undefined && { body: isText(body) ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  expectStandard(method, response, text)
  if (response.ok) remember(method, path)
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

export const get = (path: string, sent?: Sent) => send('GET', path, sent)
export const post = (path: string, sent?: Sent) => send('POST', path, sent)
export const patch = (path: string, sent?: Sent) => send('PATCH', path, sent)
export const remove = (path: string, sent?: Sent) => send('DELETE', path, sent)

const isText = (body: unknown): body is string | URLSearchParams => typeof body === 'string' || body instanceof URLSearchParams

const typeOf = (body: unknown): Record<string, string> =>
  body === undefined || body instanceof URLSearchParams ? {} : { 'content-type': 'application/json' }

function remember(method: string, path: string): void {
  const [pathname = ''] = path.split('?')
  for (const { key, method: known, pattern } of ROUTES) if (known === method && pattern.test(PREFIX + pathname)) served.add(key)
}

/** Headers and form of a body, as the contract wants them of every answer. */
function expectStandard(method: string, { status, headers }: Response, text: string): void {
  const isEmpty = status === 204 || status === 304
  const isReadable = method === 'GET' && (status === 200 || status === 304)
  expect({ status, ...pick(headers), isEmpty: text === '' }).toEqual({
    status,
    'content-type': isEmpty ? null : 'application/json',
    'cache-control': isReadable ? 'private, no-cache' : 'no-store',
    vary: isReadable ? 'Authorization' : null,
    'strict-transport-security': expect.stringMatching(/^max-age=\d{8,}/),
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/\S/),
    'www-authenticate': status === 401 ? 'Bearer' : null,
    isEmpty,
  })
}

const STANDARD = [
  'content-type',
  'cache-control',
  'vary',
  'strict-transport-security',
  'x-content-type-options',
  'x-request-id',
  'www-authenticate',
]

const pick = (headers: Headers) => Object.fromEntries(STANDARD.map((name) => [name, headers.get(name)]))

const MAX_PAGES = 100

/** Every page of a list from a first one on, by its `Link` to the next. */
export async function pages(path: string, as: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Answer = await get(next, { as })
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
    answers.push(answer)
    if (answers.length > MAX_PAGES) throw new Error(`${path} has no end`)
    next = nextOf(answer)
  }
  return answers
}

/** Where the body's cursor and the `Link` header agree that a list goes on. */
function nextOf({ headers, body }: Answer): string | undefined {
  const link = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  expect(link === undefined ? null : new URL(link, BASE).searchParams.get('cursor')).toBe(body.next_cursor)
  return link && pathOf(link)
}
