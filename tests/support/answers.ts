import { expect, vi } from 'vitest'
import { type CallRequest, call } from './call.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the body's fields and asserts what they are
export type Answer = { status: number; body?: any }

/** Calls a function and keeps the status and the whole body, to be compared as they are. */
export async function ask(name: string, request: CallRequest = {}): Promise<Answer> {
  const { status, body } = await call(name, request)
  return { status, body }
}

const refusal = (status: number, error: string | string[]): Answer => ({ status, body: { success: false, error } })

export const gone: Answer = { status: 204, body: undefined }
export const unauthorized: Answer = { status: 401, body: { error: 'Unauthorized' } }
export const forbidden = refusal(403, 'Forbidden')
export const notFound = refusal(404, 'Not found')
export const conflict = refusal(409, 'Conflict')
export const invalidCursor = refusal(400, 'Cursor is invalid')

/** 400: `missing('title, body')`. */
export const missing = (names: string): Answer => refusal(400, `param is missing or the value is empty: ${names}`)

/** 422: each broken rule as its field, its code and its sentence, in order. */
export function invalid(...rules: [field: string, code: string, message: string][]): Answer {
  const details = rules.map(([field, code, message]) => ({ field, code, message }))
  return { status: 422, body: { success: false, error: rules.map(([, , message]) => message), details } }
}

/** An integer that every JSON reader keeps exact, and that a path can name. */
export const anId = expect.toSatisfy((value) => Number.isSafeInteger(value) && value > 0, 'an id')

/** Runs work while the clock shows one time (Unix milliseconds): what is made then has that `created_at`. */
export async function at<T>(ms: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: ms })
  try {
    return await work()
  } finally {
    vi.useRealTimers()
  }
}

export const iso = (ms: number): string => new Date(ms).toISOString()

/** Two minutes of a past day, for a record that is made in one and changed in the other. */
export const MADE = Date.UTC(2020, 1, 29, 12, 0, 0, 1)
export const CHANGED = MADE + 60_000

/** The time that an id was minted from, in Unix milliseconds. */
export const timeOfId = (id: number): number => Math.floor(id / 4096) + Date.UTC(1994, 0, 1)

/** What no path may name a record by: no id at all, or the spelling of one that the service does not use. */
export const malformed = (id: number): string[] => [
  ...[
    '0',
    '-1',
    '1.5',
    'abc',
    '9007199254740992',
    '9007199254740993',
    '99999999999999999999',
    '1e3',
    'null',
    '',
    ' ',
    '%',
    '١',
    '#',
  ],
  ...[`0${id}`, `+${id}`, `-${id}`, `${id}.0`, ` ${id}`, `${id} `, `${id}\n`, `${id}e0`, `0x${id.toString(16)}`, `${id}/`],
]
