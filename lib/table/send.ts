import { unavailable } from '#lib/errors.ts'
import { backOff } from './backoff.ts'

const CONFLICT_ATTEMPTS = 6
const CONFLICT_DELAY_MS = 20

/** What an SDK error may carry: see SmithyException, and the cancellation reasons of TransactWriteItems. */
type SdkError = Error & {
  $fault?: 'client' | 'server'
  $retryable?: object
  code?: string
  /** On an answer that could not be read: what stands in front of the table gave it. */
  $response?: object
  CancellationReasons?: { Code?: string }[]
}

const hasReason = (error: SdkError, codes: string[]): boolean =>
  codes.includes(error.name) || (error.CancellationReasons ?? []).some(({ Code }) => codes.includes(Code ?? ''))

const isRefused = (error: SdkError): boolean => hasReason(error, ['ConditionalCheckFailedException', 'ConditionalCheckFailed'])

// The SDK retries neither of the two.
const isConflict = (error: SdkError): boolean => hasReason(error, ['TransactionConflictException', 'TransactionConflict'])

// An earlier sending may still go through: asked anew, under another token, a create would make two.
const isUnsettled = (error: SdkError): boolean => hasReason(error, ['TransactionInProgressException'])

const THROTTLES = [
  'ProvisionedThroughputExceededException',
  'ProvisionedThroughputExceeded',
  'ThrottlingException',
  'ThrottlingError',
  'RequestLimitExceeded',
  'TimeoutError',
]

const isUnreadable = (error: SdkError): boolean => error instanceof SyntaxError && error.$response !== undefined

const isOutage = (error: SdkError): boolean =>
  hasReason(error, THROTTLES) ||
  isUnsettled(error) ||
  isUnreadable(error) ||
  error.$fault === 'server' ||
  error.$retryable !== undefined ||
  error.code?.startsWith('E') === true

/**
 * Sends one request, again while other transactions hold its items (bounded, with jitter). Throws what DynamoDB says of a
 * failed condition as it is, and a 503 when the table throttles or can't be reached after the SDK's own retries.
 */
export async function send<T>(request: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request()
    } catch (cause) {
      const error = cause as SdkError
      if (isRefused(error) || !(isConflict(error) || isOutage(error))) throw error
      if (!isConflict(error) || attempt >= CONFLICT_ATTEMPTS) throw unavailable(cause)
      await backOff(attempt, CONFLICT_DELAY_MS)
    }
  }
}
