import { beforeEach, describe, expect, test, vi } from 'vitest'
import { send } from '#lib/table/send.ts'

/** An error as the SDK throws it. */
const sdkError = (name: string, more: object = {}) => Object.assign(new Error(name), { name, $fault: 'client', ...more })

const cancelled = (...codes: string[]) =>
  sdkError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })

const UNAVAILABLE = expect.objectContaining({ status: 503, error: 'Service unavailable', retryAfterSeconds: 1 })

/** A request that fails so often and then succeeds. */
function failing(error: Error, times: number) {
  let left = times
  return vi.fn(async () => {
    if (left-- > 0) throw error
    return 'done'
  })
}

beforeEach(() => {
  // No jitter, no waiting.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  return () => vi.restoreAllMocks()
})

describe('send', () => {
  test('hands on what comes', async () => {
    const request = failing(new Error(), 0)
    expect(await send(request)).toBe('done')
    expect(request).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['a conflict of a single write', sdkError('TransactionConflictException')],
    ['a conflict in a transaction', cancelled('None', 'TransactionConflict')],
  ])('sends again after %s, and gives up after six times', async (_what, error) => {
    const settling = failing(error, 5)
    expect(await send(settling)).toBe('done')
    expect(settling).toHaveBeenCalledTimes(6)
    const lasting = failing(error, 6)
    await expect(send(lasting)).rejects.toEqual(UNAVAILABLE)
    expect(lasting).toHaveBeenCalledTimes(6)
  })

  test.each([
    ['a condition', sdkError('ConditionalCheckFailedException')],
    ['a condition in a transaction', cancelled('None', 'ConditionalCheckFailed')],
    ['a condition beside a conflict', cancelled('TransactionConflict', 'ConditionalCheckFailed')],
    ['a missing table', sdkError('ResourceNotFoundException')],
    ['a malformed request', sdkError('ValidationException')],
    ['an error in the code', new TypeError('x is not a function')],
  ])('throws as it is what fails by %s, at once', async (_what, error) => {
    const request = failing(error, 1)
    await expect(send(request)).rejects.toBe(error)
    expect(request).toHaveBeenCalledTimes(1)
  })

  test.each([
    ['throttling of the table', sdkError('ProvisionedThroughputExceededException')],
    ['throttling in a transaction', cancelled('ProvisionedThroughputExceeded')],
    ['throttling in general', sdkError('ThrottlingException')],
    ['a limit of the account', sdkError('RequestLimitExceeded')],
    ["a failure on DynamoDB's side", sdkError('InternalServerError', { $fault: 'server' })],
    ['a timeout', sdkError('TimeoutError')],
    ['a transaction whose first sending is still in progress', sdkError('TransactionInProgressException')],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
    ['a lost connection', Object.assign(new Error('read'), { code: 'ECONNRESET' })],
  ])('is a 503 for %s, without another try: the SDK has tried', async (_what, error) => {
    const request = failing(error, 1)
    await expect(send(request)).rejects.toEqual(UNAVAILABLE)
    await expect(send(failing(error, 1))).rejects.toHaveProperty('cause', error)
    expect(request).toHaveBeenCalledTimes(1)
  })
})
