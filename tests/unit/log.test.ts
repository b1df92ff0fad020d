import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeError, log } from '#lib/log.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const

let lines: [level: string, line: unknown][]

beforeEach(() => {
  lines = []
  for (const level of LEVELS) vi.spyOn(console, level).mockImplementation((line: unknown) => void lines.push([level, line]))
})

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('log', () => {
  test.each<[string | undefined, string]>([
    ['debug', 'debug info warn error'],
    ['info', 'info warn error'],
    ['warn', 'warn error'],
    ['error', 'error'],
    ['ERROR', 'error'],
    ['', 'info warn error'],
    [undefined, 'info warn error'],
  ])('at the level %j writes %s', (threshold, written) => {
    vi.stubEnv('LOG_LEVEL', threshold)
    for (const level of LEVELS) log(level, 'Something')
    expect(lines.map(([level]) => level).join(' ')).toBe(written)
  })

  test('gives Lambda an object where it writes the JSON itself', () => {
    vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON')
    log('error', 'Something', { tenant_id: 5 })
    expect(lines).toEqual([['error', { level: 'error', message: 'Something', tenant_id: 5 }]])
  })

  test('writes one line of JSON: level, message and fields', () => {
    log('error', 'A message\nof two lines', { request_id: 'x', count: 2 })
    expect(lines).toEqual([['error', '{"level":"error","message":"A message\\nof two lines","request_id":"x","count":2}']])
  })
})

describe('describeError', () => {
  test('says name, message, stack and causes', () => {
    const error = new TypeError('outer', { cause: new RangeError('inner', { cause: 'text' }) })
    expect(describeError(error)).toEqual({
      name: 'TypeError',
      message: 'outer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { name: 'RangeError', message: 'inner', stack: expect.any(String), cause: { message: 'text' } },
    })
  })

  test('leaves out whatever else an error carries', () => {
    const error = Object.assign(new Error('refused'), { Item: { password_digest: 'x' }, $metadata: {}, body: 'y' })
    expect(Object.keys(describeError(error))).toEqual(['name', 'message', 'stack'])
  })

  test.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [42, '42'],
    [{ token: 'secret' }, '[object Object]'],
  ])('describes %j, which is no error, without what is in it', (thrown, message) => {
    expect(describeError(thrown)).toEqual({ message })
  })

  test('ends with causes that go round', () => {
    const error = new Error('round')
    error.cause = error
    const depth = (described: Record<string, unknown>): number =>
      described.cause ? 1 + depth(described.cause as Record<string, unknown>) : 1
    expect(depth(describeError(error))).toBe(4)
  })
})
