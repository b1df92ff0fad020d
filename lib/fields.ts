import * as z from 'zod/mini'
import { EPOCH_MS, LAST_MS, MAX_ID } from '#lib/ids.ts'

/** A rule of a field: its message completes a sentence that the field's name begins, its code is for programs. */
const rule = <T>(code: string, error: string, holds: (value: T) => boolean) => z.refine<T>(holds, { error, params: { code } })

const NOT_A_STRING = 'must be a string'
const string = () => z.string(NOT_A_STRING)

/** The message of a type that narrows strings: a wrong JSON type is said as such. */
const stringThat = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (typeof input === 'string' ? message : NOT_A_STRING),
})

// A lone surrogate would not survive storage as UTF-8.
const wellFormed = rule<string>('invalid_unicode', 'contains invalid Unicode', (value) => value.isWellFormed())
const present = rule<string>('blank', "can't be blank", (value) => value.trim() !== '')

/** At most `max` Unicode code points. Counts only when the UTF-16 length leaves it in doubt. */
const maxCharacters = (max: number) =>
  rule<string>(
    'too_long',
    `is too long (maximum is ${max} characters)`,
    (value) => value.length <= max || (value.length <= max * 2 && [...value].length <= max),
  )

const maxBytes = (max: number) =>
  rule<string>('too_long', `is too long (maximum is ${max} bytes)`, (value) => Buffer.byteLength(value) <= max)

/** Text that may be empty, of at most `max` code points. Kept exactly as sent. */
export const optionalText = (max: number) => string().check(wellFormed, maxCharacters(max))

/** Text that is not blank, of at most `max` code points. Kept exactly as sent. */
export const text = (max: number) => string().check(wellFormed, present, maxCharacters(max))

/** Text that is not blank, of at most `max` bytes of UTF-8. Kept exactly as sent. */
export const longText = (max: number) => string().check(wellFormed, present, maxBytes(max))

/** Any string at all, for what is only compared. */
export const anyString = string

/** The local part and the labels of https://html.spec.whatwg.org/#valid-e-mail-address, lower-cased. */
const ADDRESS = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The form in which an address is stored and compared. Only A-Z change case: no look-alike becomes an ASCII letter. */
export const normalizeEmail = (email: string): string => email.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Whether a normalized address is one plain ASCII address. */
export const isEmail = (email: string): boolean => email.length <= 254 && ADDRESS.test(email)

export const email = string().check(z.overwrite(normalizeEmail), rule<string>('invalid', 'is invalid', isEmail))

/** bcrypt reads no further than this. */
const PASSWORD_MAX_BYTES = 72

export const password = string().check(
  wellFormed,
  rule<string>('too_short', 'is too short (minimum is 8 characters)', (value) => [...value.slice(0, 16)].length >= 8),
  maxBytes(PASSWORD_MAX_BYTES),
  rule<string>('null_character', 'contains a null character', (value) => !value.includes('\0')),
)

export const oneOf = <const T extends readonly string[]>(values: T) => z.enum(values, stringThat('is not included in the list'))

/** Milliseconds of Unix time, from ISO 8601 with `Z` or an offset. */
export const time = z.pipe(z.iso.datetime({ offset: true, ...stringThat('is not a valid time') }), z.transform(Date.parse))

/** A past time that an id can be minted from, as milliseconds of Unix time. */
export const pastTime = time.check(
  rule<number>('too_early', 'is too early', (ms) => ms >= EPOCH_MS),
  rule<number>('future', "can't be in the future", (ms) => ms <= Date.now()),
)

/** A time to come, as milliseconds of Unix time; as far off as an id's time can be. */
export const futureTime = time.check(
  rule<number>('past', 'must be in the future', (ms) => ms > Date.now()),
  rule<number>('too_late', 'is too late', (ms) => ms <= LAST_MS),
)

/** An id as a path or a form writes it. */
export const idDigits = z.pipe(
  string().check(z.regex(/^[1-9][0-9]{0,15}$/, 'must be an integer')),
  z.transform(Number).check(z.refine((id) => id <= MAX_ID, 'must be an integer')),
)

/** An id as a reply writes it. */
export const id = z.int()
