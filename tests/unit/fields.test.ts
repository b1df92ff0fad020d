import { afterEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod/mini'
import {
  anyString,
  email,
  idDigits,
  isEmail,
  longText,
  normalizeEmail,
  oneOf,
  optionalText,
  password,
  pastTime,
  text,
  time,
} from '#lib/fields.ts'

/** What a field makes of a value: the value as it is kept, or the ends of the sentences that refuse it. */
function take(field: z.core.$ZodType, value: unknown): unknown {
  const result = z.safeParse(field, value)
  return result.success ? { kept: result.data } : { refused: result.error.issues.map(({ message }) => message) }
}

const kept = (value: unknown) => ({ kept: value })
const refused = (...messages: string[]) => ({ refused: messages })

const NOT_A_STRING = refused('must be a string')
const ASTRAL = '😀'
const FAMILY = '👩‍👩‍👧'

afterEach(() => {
  vi.useRealTimers()
})

describe.each<[string, z.core.$ZodType]>([
  ['text', text(200)],
  ['optional text', optionalText(200)],
  ['long text', longText(200)],
  ['an email', email],
  ['a password', password],
  ['any string', anyString()],
  ['a choice', oneOf(['asc', 'desc'])],
  ['a time', time],
  ['a past time', pastTime],
  ['the digits of an id', idDigits],
])('%s', (_what, field) => {
  test.each([[1], [1.5], [true], [null], [[]], [['a']], [{}], [undefined]])('%j is not a string', (value) => {
    expect(take(field, value)).toEqual(NOT_A_STRING)
  })
})

describe('text', () => {
  test.each<[string, string, unknown]>([
    ['one character', 'a', kept('a')],
    ['white space around it', ' a\n', kept(' a\n')],
    ['200 characters', 'a'.repeat(200), kept('a'.repeat(200))],
    ['200 astral characters', ASTRAL.repeat(200), kept(ASTRAL.repeat(200))],
    ['a NUL', 'a\0', kept('a\0')],
    ['HTML', '<b>&amp;</b>', kept('<b>&amp;</b>')],
    ['decomposed letters', 'e\u0301', kept('e\u0301')],
    ['a zero-width space, which is not blank', '\u200b', kept('\u200b')],
    ['201 characters', 'a'.repeat(201), refused('is too long (maximum is 200 characters)')],
    ['201 astral characters', ASTRAL.repeat(201), refused('is too long (maximum is 200 characters)')],
    ['199 astral characters and two more', `${ASTRAL.repeat(199)}ab`, refused('is too long (maximum is 200 characters)')],
    ['a million characters', 'a'.repeat(1_000_000), refused('is too long (maximum is 200 characters)')],
    ['code points, not what the eye counts', FAMILY.repeat(41), refused('is too long (maximum is 200 characters)')],
    ['nothing', '', refused("can't be blank")],
    ['a space', ' ', refused("can't be blank")],
    ['every kind of space', ' \t\n\v\f\r\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\ufeff', refused("can't be blank")],
    ['201 spaces', ' '.repeat(201), refused("can't be blank", 'is too long (maximum is 200 characters)')],
    ['a lone high surrogate', 'a\ud800', refused('contains invalid Unicode')],
    ['a lone low surrogate', '\udc00a', refused('contains invalid Unicode')],
    ['surrogates the wrong way round', '\ude00\ud83d', refused('contains invalid Unicode')],
  ])('%s', (_what, value, outcome) => {
    expect(take(text(200), value)).toEqual(outcome)
  })
})

describe('optional text', () => {
  test.each<[string, string, unknown]>([
    ['nothing', '', kept('')],
    ['a space', ' ', kept(' ')],
    ['10 characters', 'a'.repeat(10), kept('a'.repeat(10))],
    ['11 characters', 'a'.repeat(11), refused('is too long (maximum is 10 characters)')],
    ['a lone surrogate', '\ud800', refused('contains invalid Unicode')],
  ])('%s', (_what, value, outcome) => {
    expect(take(optionalText(10), value)).toEqual(outcome)
  })
})

describe('long text', () => {
  test.each<[string, string, unknown]>([
    ['12 bytes', 'a'.repeat(12), kept('a'.repeat(12))],
    ['12 bytes of four characters', '€'.repeat(4), kept('€'.repeat(4))],
    ['12 bytes of three characters', ASTRAL.repeat(3), kept(ASTRAL.repeat(3))],
    ['13 bytes', 'a'.repeat(13), refused('is too long (maximum is 12 bytes)')],
    ['15 bytes of five characters', '€'.repeat(5), refused('is too long (maximum is 12 bytes)')],
    ['spaces', '   ', refused("can't be blank")],
    ['13 spaces', ' '.repeat(13), refused("can't be blank", 'is too long (maximum is 12 bytes)')],
    ['a lone surrogate', 'a\udfff', refused('contains invalid Unicode')],
  ])('%s', (_what, value, outcome) => {
    expect(take(longText(12), value)).toEqual(outcome)
  })
})

describe('an email', () => {
  const label = 'a'.repeat(63)

  test.each<[string, string]>([
    ['ada@example.org', 'ada@example.org'],
    ['ADA@Example.ORG', 'ada@example.org'],
    ['  ada@example.org\n', 'ada@example.org'],
    ['\u00a0\ufeffada@example.org\u3000', 'ada@example.org'],
    ["a.b+c/d=e?f^g_h`i{j|k}l~m-n!o#p$q%r&s'*@example.org", "a.b+c/d=e?f^g_h`i{j|k}l~m-n!o#p$q%r&s'*@example.org"],
    ['ada@localhost', 'ada@localhost'],
    ['1@1.de', '1@1.de'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    [`ada@${label}.org`, `ada@${label}.org`],
    [`${'a'.repeat(242)}@example.org`, `${'a'.repeat(242)}@example.org`],
  ])('%j is kept as %j', (value, address) => {
    expect(take(email, value)).toEqual(kept(address))
  })

  test.each([
    '',
    ' ',
    'ada',
    '@',
    'ada@',
    '@example.org',
    'ada@@example.org',
    'ada@example@org',
    'a da@example.org',
    'ada@exa mple.org',
    'ada@example..org',
    'ada@.org',
    'ada@example.',
    'ada@-example.org',
    'ada@example-.org',
    'ada@[127.0.0.1]',
    'ada@exam_ple.org',
    '"ada"@example.org',
    'Ada <ada@example.org>',
    'ada@example.org,bob@example.org',
    'ada@example.org;',
    'ada@example.org\0',
    'ada\n@example.org',
    'ada@example.org\nbob@example.org',
    'ada\u0131@example.org',
    '\u212Aim@example.org',
    'ada\uFF20example.org',
    'ada@example\uFF0Eorg',
    'ada@b\u00fccher.example',
    'ad\u00e1@example.org',
    'ada\ud800@example.org',
    'ada(comment)@example.org',
    'ada\\@example.org',
    `ada@${label}a.org`,
    `${'a'.repeat(243)}@example.org`,
    'a'.repeat(100_000),
  ])('%j is invalid', (value) => {
    expect(take(email, value)).toEqual(refused('is invalid'))
  })

  test('changes the case of A-Z alone', () => {
    expect(normalizeEmail(' ABCXYZ\u0130\u212A\u00c4\u0391 ')).toBe('abcxyz\u0130\u212A\u00c4\u0391')
  })

  test('is normalized once: doing so again changes nothing', () => {
    const once = normalizeEmail('  ADA@Example.ORG ')
    expect([normalizeEmail(once), isEmail(once)]).toEqual([once, true])
  })
})

describe('a password', () => {
  test.each<[string, string, unknown]>([
    ['8 characters', 'password', kept('password')],
    ['8 spaces', ' '.repeat(8), kept(' '.repeat(8))],
    ['8 astral characters', ASTRAL.repeat(8), kept(ASTRAL.repeat(8))],
    ['72 bytes', 'p'.repeat(72), kept('p'.repeat(72))],
    ['72 bytes of 24 characters', '€'.repeat(24), kept('€'.repeat(24))],
    ['white space around it', ' pass word ', kept(' pass word ')],
    ['7 characters', 'passwor', refused('is too short (minimum is 8 characters)')],
    ['7 astral characters, though 14 UTF-16 units', ASTRAL.repeat(7), refused('is too short (minimum is 8 characters)')],
    ['nothing', '', refused('is too short (minimum is 8 characters)')],
    ['73 bytes', 'p'.repeat(73), refused('is too long (maximum is 72 bytes)')],
    ['73 bytes of 25 characters', `${'€'.repeat(24)}p`, refused('is too long (maximum is 72 bytes)')],
    ['a NUL', 'pass\0word', refused('contains a null character')],
    ['a NUL alone', '\0', refused('is too short (minimum is 8 characters)', 'contains a null character')],
    ['a lone surrogate', 'password\ud800', refused('contains invalid Unicode')],
    ['too many NULs', '\0'.repeat(73), refused('is too long (maximum is 72 bytes)', 'contains a null character')],
  ])('%s', (_what, value, outcome) => {
    expect(take(password, value)).toEqual(outcome)
  })
})

describe('a choice', () => {
  test.each<[string, unknown]>([
    ['asc', kept('asc')],
    ['desc', kept('desc')],
    ['ASC', refused('is not included in the list')],
    ['', refused('is not included in the list')],
    ['toString', refused('is not included in the list')],
    ['__proto__', refused('is not included in the list')],
  ])('%j', (value, outcome) => {
    expect(take(oneOf(['asc', 'desc']), value)).toEqual(outcome)
  })
})

describe('a time', () => {
  test.each<[string, number]>([
    ['2026-11-20T14:00:00Z', Date.UTC(2026, 10, 20, 14)],
    ['2026-11-20T14:00:00.000Z', Date.UTC(2026, 10, 20, 14)],
    ['2026-11-20T14:00:00.5Z', Date.UTC(2026, 10, 20, 14, 0, 0, 500)],
    ['2026-11-20T14:00:00.123456789Z', Date.UTC(2026, 10, 20, 14, 0, 0, 123)],
    ['2026-11-20T14:00:00+01:00', Date.UTC(2026, 10, 20, 13)],
    ['2026-11-20T14:00:00-05:30', Date.UTC(2026, 10, 20, 19, 30)],
    ['2024-02-29T23:59:59.999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['1969-12-31T23:59:59Z', -1000],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('%s', (value, ms) => {
    expect(take(time, value)).toEqual(kept(ms))
  })

  test.each([
    '',
    'now',
    '2026',
    '2026-11-20',
    '20261120T140000Z',
    '2026-11-20T14:00:00',
    '2026-11-20 14:00:00Z',
    '2026-11-20T14:00:00 Z',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T14:60:00Z',
    '2026-11-20T14:00:00+25:00',
    '2026-11-20T14:00:00+01',
    '2026-11-20T14:00:00ZZ',
    ' 2026-11-20T14:00:00Z',
    '2026-11-20T14:00:00Z\n',
    '+002026-11-20T14:00:00Z',
    '1763647200000',
    'Fri, 20 Nov 2026 14:00:00 GMT',
  ])('%j is not a valid time', (value) => {
    expect(take(time, value)).toEqual(refused('is not a valid time'))
  })

  test('is never NaN, whatever its offset and its fraction', () => {
    for (const hours of ['00', '01', '14', '23'])
      for (const fraction of ['', '.1', '.000000', `.${'9'.repeat(40)}`])
        for (const sign of ['+', '-']) {
          const { kept: ms } = take(time, `2026-11-20T14:00:00${fraction}${sign}${hours}:59`) as { kept: number }
          expect(ms).toBeGreaterThan(Date.UTC(2026, 10, 19))
        }
  })
})

describe('a past time', () => {
  const NOW = Date.UTC(2026, 10, 20, 14)

  test.each<[string, string, unknown]>([
    ['the first that an id can be made of', '1994-01-01T00:00:00.000Z', kept(Date.UTC(1994, 0, 1))],
    ['one a millisecond too early', '1993-12-31T23:59:59.999Z', refused('is too early')],
    ['now', '2026-11-20T14:00:00.000Z', kept(NOW)],
    ['now, elsewhere', '2026-11-20T23:00:00+09:00', kept(NOW)],
    ['a millisecond from now', '2026-11-20T14:00:00.001Z', refused("can't be in the future")],
    ['the year 9999', '9999-12-31T23:59:59Z', refused("can't be in the future")],
    ['no time', 'yesterday', refused('is not a valid time')],
  ])('%s', (_what, value, outcome) => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    expect(take(pastTime, value)).toEqual(outcome)
  })
})

describe('the digits of an id', () => {
  test.each<[string, number]>([
    ['1', 1],
    ['10', 10],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('%s is one', (digits, id) => {
    expect(take(idDigits, digits)).toEqual(kept(id))
  })

  test.each([
    '',
    '0',
    '00',
    '01',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '1,000',
    '1_000',
    '\u0661',
    '\uff11',
    '9007199254740992',
    '9999999999999999',
    '10000000000000000',
    '99999999999999999999999999',
    'Infinity',
    'NaN',
    'null',
  ])('%j is none', (digits) => {
    expect(take(idDigits, digits)).toEqual(refused('must be an integer'))
  })
})
