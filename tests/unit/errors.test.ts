import { describe, expect, test } from 'vitest'
import { DomainFailure, Failure, type FailureCode, failure, ParamsMissing, ValidationFailed } from '#lib/errors.ts'
import { renderFailure } from '#lib/http/envelope.ts'

const rendered = (refusal: Failure) => {
  const { statusCode, headers, body } = renderFailure(refusal)
  return { statusCode, headers, body: JSON.parse(body as string) }
}

describe('a failure as a response', () => {
  test.each<[FailureCode, number, string]>([
    ['InvalidBody', 400, 'Request body is not a JSON object'],
    ['InvalidCursor', 400, 'Cursor is invalid'],
    ['Forbidden', 403, 'Forbidden'],
    ['NotFound', 404, 'Not found'],
    ['Conflict', 409, 'Conflict'],
    ['PreconditionFailed', 412, 'Precondition failed'],
    ['BodyTooLarge', 413, 'Request body is too large'],
    ['UnsupportedMediaType', 415, 'Unsupported media type'],
    ['TooManyRequests', 429, 'Too many requests'],
    ['Unexpected', 500, 'Something went wrong'],
    ['Unavailable', 503, 'Service unavailable'],
  ])('%s is a %i in the envelope', (code, statusCode, error) => {
    expect(rendered(failure(code))).toEqual({ statusCode, headers: {}, body: { success: false, error } })
  })

  test.each<[FailureCode, string]>([
    ['InvalidCredentials', 'Invalid credentials'],
    ['Unauthorized', 'Unauthorized'],
  ])('%s is a 401 of its own short form, with a challenge', (code, error) => {
    expect(rendered(failure(code))).toEqual({ statusCode: 401, headers: { 'www-authenticate': 'Bearer' }, body: { error } })
  })

  test('the guard of what needs a login is a 401 in the envelope, with a challenge', () => {
    expect(rendered(failure('LoginRequired'))).toEqual({
      statusCode: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { success: false, error: 'require_login' },
    })
  })

  test('says when to come again, where it knows', () => {
    expect(rendered(failure('TooManyRequests', { retryAfterSeconds: 30 })).headers).toEqual({ 'retry-after': '30' })
  })

  test('never shows its cause', () => {
    const cause = new Error('the table masthead-prod is gone')
    expect(JSON.stringify(renderFailure(failure('Unavailable', { cause })))).not.toContain('masthead-prod')
  })

  test('names missing parameters in one sentence', () => {
    expect(rendered(new ParamsMissing(['title', 'body']))).toEqual({
      statusCode: 400,
      headers: {},
      body: { success: false, error: 'param is missing or the value is empty: title, body' },
    })
  })

  test('says every violation, and in details which field it is of', () => {
    const violations = [
      { field: 'title', code: 'blank', message: "Title can't be blank" },
      { field: 'body', code: 'blank', message: "Body can't be blank" },
    ]
    expect(rendered(new ValidationFailed(violations))).toEqual({
      statusCode: 422,
      headers: {},
      body: { success: false, error: ["Title can't be blank", "Body can't be blank"], details: violations },
    })
  })

  test.each<[string, Failure, number, object]>([
    ['422 unless told otherwise', new DomainFailure('No'), 422, { success: false, error: 'No', details: null }],
    [
      'its own status and details',
      new DomainFailure('No', { status: 409, details: { a: 1 } }),
      409,
      { success: false, error: 'No', details: { a: 1 } },
    ],
  ])('of the domain has %s', (_what, refusal, statusCode, body) => {
    expect(rendered(refusal)).toEqual({ statusCode, headers: {}, body })
    expect(refusal).toBeInstanceOf(Failure)
  })
})
