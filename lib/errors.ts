/** Everything a caller can be told, but for the sentences that name their fields: the status and the text. */
const FAILURES = {
  InvalidBody: [400, 'Request body is not a JSON object'],
  InvalidCursor: [400, 'Cursor is invalid'],
  InvalidCredentials: [401, 'Invalid credentials'],
  Unauthorized: [401, 'Unauthorized'],
  LoginRequired: [401, 'require_login'],
  Forbidden: [403, 'Forbidden'],
  NotFound: [404, 'Not found'],
  Conflict: [409, 'Conflict'],
  PreconditionFailed: [412, 'Precondition failed'],
  BodyTooLarge: [413, 'Request body is too large'],
  UnsupportedMediaType: [415, 'Unsupported media type'],
  TooManyRequests: [429, 'Too many requests'],
  Unexpected: [500, 'Something went wrong'],
  Unavailable: [503, 'Service unavailable'],
} as const satisfies Record<string, readonly [status: number, text: string]>

export type FailureCode = keyof typeof FAILURES

/** Authentication's own errors come without the envelope. */
const BARE: FailureCode[] = ['InvalidCredentials', 'Unauthorized']

type FailureOptions = { details?: unknown; retryAfterSeconds?: number; cause?: unknown; isBare?: boolean }

/**
 * What a handler, a policy or a store throws to refuse. The envelope alone turns it into a response;
 * `cause` is evidence for the log and never leaves the service.
 */
export class Failure extends Error {
  readonly status: number
  /** The response's `error`: a text, or all sentences of a failed validation. */
  readonly error: string | string[]
  readonly details: unknown
  readonly retryAfterSeconds: number | undefined
  /** The body is the `error` alone. */
  readonly isBare: boolean

  constructor(status: number, error: string | string[], options: FailureOptions = {}) {
    super(String(error), options.cause === undefined ? {} : { cause: options.cause })
    this.status = status
    this.error = error
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.isBare = options.isBare ?? false
  }
}

/** A failure of the table above. */
export function failure(code: FailureCode, options: FailureOptions = {}): Failure {
  const [status, text] = FAILURES[code]
  return new Failure(status, text, { ...options, isBare: BARE.includes(code) })
}

/** A 503: the table, or others in the way, kept a request from being done. It may be sent again in a second. */
export const unavailable = (cause: unknown): Failure => failure('Unavailable', { retryAfterSeconds: 1, cause })

/** 400: keys that a request must have and has not. */
export class ParamsMissing extends Failure {
  constructor(names: string[]) {
    super(400, `param is missing or the value is empty: ${names.join(', ')}`)
  }
}

/** One broken rule of one field; `message` is a full sentence. */
export type Violation = { field: string; code: string; message: string }

/** 422: every sentence at once, and in `details` which field each belongs to. */
export class ValidationFailed extends Failure {
  constructor(violations: Violation[]) {
    super(
      422,
      violations.map(({ message }) => message),
      { details: violations },
    )
  }
}

/** A known failure of the domain: the one way in which application code refuses with words of its own. */
export class DomainFailure extends Failure {
  constructor(message: string, { status = 422, details = null }: { status?: number; details?: unknown } = {}) {
    super(status, message, { details })
  }
}
