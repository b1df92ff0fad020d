import { afterEach, describe, expect, test, vi } from 'vitest'
import { EPOCH_MS, firstIdAt, IdTaken, lastIdAt, MAX_ID, mintId, newborn, padId, withNewId } from '#lib/ids.ts'

const NOW = Date.UTC(2026, 10, 20, 14)
/** The last millisecond that 41 bits count. */
const LAST_MS = EPOCH_MS + 2 ** 41 - 1

/** Makes the 12 random bits known. */
const draw = (...values: number[]) =>
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    ;(array as Uint16Array)[0] = values.shift() ?? 0
    return array
  })

afterEach(() => {
  vi.restoreAllMocks()
})

describe('an id', () => {
  test.each<[string, number, number, number]>([
    ['has the milliseconds since 1994 before 12 random bits', NOW, 5, (NOW - 757_382_400_000) * 4096 + 5],
    ['takes 12 of the random bits and no more', NOW, 0xf123, (NOW - EPOCH_MS) * 4096 + 0x123],
    ['is 1 at the least', EPOCH_MS, 0, 1],
    ['counts from 1994', EPOCH_MS, 4095, 4095],
    ['counts on from there', EPOCH_MS + 1, 0, 4096],
    ['is 2^53 - 1 at the most, in 2063', LAST_MS, 4095, Number.MAX_SAFE_INTEGER],
  ])('%s', (_what, ms, random, id) => {
    draw(random)
    expect(mintId(ms)).toBe(id)
  })

  test('is an integer between the first and the last of its millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => mintId(NOW))
    expect(ids.filter((id) => !Number.isSafeInteger(id) || id < firstIdAt(NOW) || id > lastIdAt(NOW))).toEqual([])
    expect(new Set(ids).size).toBeGreaterThan(800)
  })

  test('sorts by the time of its making, as a number and as a sort key', () => {
    const times = [EPOCH_MS, EPOCH_MS + 1, Date.UTC(1999, 0), NOW - 1, NOW, NOW + 1, LAST_MS]
    const ids = times.map(mintId)
    expect(ids.toSorted((a, b) => a - b)).toEqual(ids)
    expect(ids.map(padId).toSorted()).toEqual(ids.map(padId))
  })

  test('can be made until 2063', () => {
    expect(new Date(LAST_MS).toISOString()).toBe('2063-09-07T15:47:35.551Z')
    expect(MAX_ID).toBe(9_007_199_254_740_991)
  })
})

describe('the ids of a millisecond', () => {
  test.each<[string, number, number, number]>([
    ['of the first one', EPOCH_MS, 0, 4095],
    ['of the second one', EPOCH_MS + 1, 4096, 8191],
    ['of the last one', LAST_MS, MAX_ID - 4095, MAX_ID],
    ['before 1994', EPOCH_MS - 1, 0, 0],
    ['long before 1994', Date.UTC(0, 0), 0, 0],
    ['after 2063', LAST_MS + 1, MAX_ID, MAX_ID],
    ['of the year 9999', Date.UTC(9999, 0), MAX_ID, MAX_ID],
  ])('%s have bounds that an id can have', (_when, ms, first, last) => {
    expect([firstIdAt(ms), lastIdAt(ms)]).toEqual([first, last])
  })

  test('end where those of the next begin', () => {
    expect(firstIdAt(NOW + 1)).toBe(lastIdAt(NOW) + 1)
  })
})

describe('padId', () => {
  test.each([
    [0, '0000000000000000'],
    [1, '0000000000000001'],
    [MAX_ID, '9007199254740991'],
  ])('writes %i with 16 digits', (id, digits) => {
    expect(padId(id)).toBe(digits)
  })
})

describe('withNewId', () => {
  test('hands back what the create makes of the first id', async () => {
    draw(7)
    expect(await withNewId(NOW, async (id) => ({ id }))).toEqual({ id: firstIdAt(NOW) + 7 })
  })

  test('moves on by a millisecond while the id is taken', async () => {
    draw(1, 2, 3)
    const tried: number[] = []
    const made = await withNewId(NOW, async (id) => {
      tried.push(id)
      if (tried.length < 3) throw new IdTaken()
      return id
    })
    expect(tried).toEqual([firstIdAt(NOW) + 1, firstIdAt(NOW + 1) + 2, firstIdAt(NOW + 2) + 3])
    expect(made).toBe(tried[2])
  })

  test('gives up in the end', async () => {
    const create = vi.fn(async (_id: number) => {
      throw new IdTaken()
    })
    await expect(withNewId(NOW, create)).rejects.toBeInstanceOf(IdTaken)
    expect(create).toHaveBeenCalledTimes(33)
  })

  test('does not try again after another error', async () => {
    const create = vi.fn(async (_id: number) => {
      throw new Error('The table is gone')
    })
    await expect(withNewId(NOW, create)).rejects.toThrow('The table is gone')
    expect(create).toHaveBeenCalledTimes(1)
  })
})

test('a record begins with version 1 and equal times', () => {
  expect(newborn(5, NOW)).toEqual({
    id: 5,
    created_at: '2026-11-20T14:00:00.000Z',
    updated_at: '2026-11-20T14:00:00.000Z',
    version: 1,
  })
})
