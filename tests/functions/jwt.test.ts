import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '#tests/support/call.ts'
import { forge, HEADER, inOneHour, sign } from '#tests/support/jwt.ts'
import { newAdmin, newUser, type Person } from '#tests/support/world.ts'

const UNAUTHORIZED = { error: 'Unauthorized' }
const WRONG_SECRET = 'another secret of at least thirty-two bytes'

let admin: Person
let person: Person

beforeAll(async () => {
  admin = await newAdmin()
  person = await newUser(admin, 1, 'author')
})

const claims = (more: object = {}) => ({ user_id: person.id, exp: inOneHour(), ...more })

const good = (): string => forge({ payload: claims() })

const present = (token: string) => call('showProfile', { as: { token } })

async function expectRefused(token: string): Promise<void> {
  const { status, body, headers } = await present(token)
  expect({ status, body }).toEqual({ status: 401, body: UNAUTHORIZED })
  expect(headers).toMatchObject({ 'www-authenticate': 'Bearer' })
}

describe('a JWT', () => {
  test('that is made by hand works like one of ours, so that what follows is refused for its one flaw', async () => {
    expect(await present(good())).toMatchObject({ status: 200, body: { id: person.id } })
  })

  test.each<[string, () => string]>([
    ['of another secret', () => forge({ payload: claims(), secret: WRONG_SECRET })],
    ['of an empty secret', () => forge({ payload: claims(), secret: '' })],
    [
      'with another payload than was signed',
      () => splice(good(), forge({ payload: claims({ user_id: admin.id }), secret: WRONG_SECRET })),
    ],
    [
      'with the signature of another token',
      () => [...good().split('.').slice(0, 2), forge({ payload: { a: 1 } }).split('.')[2]].join('.'),
    ],
  ])('%s is refused', async (_what, token) => {
    await expectRefused(token())
  })

  describe.each(['none', 'None', 'NONE', 'nOnE'])('with the algorithm %s', (alg) => {
    test.each<[string, () => string]>([
      ['without a signature', () => forge({ header: { alg, typ: 'JWT' }, payload: claims() }).replace(/[^.]*$/, '')],
      ['without the last dot', () => forge({ header: { alg, typ: 'JWT' }, payload: claims() }).replace(/\.[^.]*$/, '')],
      ['with a true signature', () => forge({ header: { alg, typ: 'JWT' }, payload: claims() })],
      ['with some signature', () => forge({ header: { alg, typ: 'JWT' }, payload: claims() }).replace(/[^.]*$/, 'AAAA')],
    ])('%s is refused', async (_what, token) => {
      await expectRefused(token())
    })
  })

  test.each<[string, unknown, string?]>([
    ['HS384', { alg: 'HS384', typ: 'JWT' }, 'sha384'],
    ['HS512', { alg: 'HS512', typ: 'JWT' }, 'sha512'],
    ['HS384 over an HS256 signature', { alg: 'HS384', typ: 'JWT' }],
    ['HS256 over an HS512 signature', HEADER, 'sha512'],
    ['RS256 keyed with the secret', { alg: 'RS256', typ: 'JWT' }],
    ['ES256', { alg: 'ES256', typ: 'JWT' }],
    ['hs256 in small letters', { alg: 'hs256', typ: 'JWT' }],
    ['an empty algorithm', { alg: '', typ: 'JWT' }],
    ['no algorithm', { typ: 'JWT' }],
    ['null as algorithm', { alg: null, typ: 'JWT' }],
    ['a list of algorithms', { alg: ['HS256'], typ: 'JWT' }],
    ['a header that is a list', [HEADER]],
    ['a header that is null', 'null'],
    ['a header that is no JSON', 'HS256'],
    ['an unknown critical header', { ...HEADER, crit: ['b64x'], b64x: true }],
    ['an unencoded payload (RFC 7797)', { ...HEADER, crit: ['b64'], b64: false }],
  ])('with %s is refused', async (_what, header, hash = 'sha256') => {
    await expectRefused(forge({ header, payload: claims(), hash }))
  })

  test.each<[string, object]>([
    ['kid as a path', { kid: '../../../../dev/null' }],
    ['kid as SQL', { kid: "x' UNION SELECT 'secret" }],
    ['jku', { jku: 'https://example.org/jwks.json' }],
    ['jwk', { jwk: { kty: 'oct', k: Buffer.from(WRONG_SECRET).toString('base64url') } }],
    ['x5u', { x5u: 'https://example.org/cert.pem' }],
    ['x5c', { x5c: ['AAAA'] }],
    ['crit', { crit: ['exp'] }],
  ])('that names a key of its own by %s is refused', async (_what, more) => {
    await expectRefused(forge({ header: { ...HEADER, ...more }, payload: claims(), secret: WRONG_SECRET }))
  })

  test.each<[string, (token: string) => string]>([
    ['without its last character', (token) => token.slice(0, -1)],
    ['without its first character', (token) => token.slice(1)],
    ['without its signature', (token) => token.replace(/[^.]*$/, '')],
    ['without its last part', (token) => token.replace(/\.[^.]*$/, '')],
    ['without its payload', (token) => token.replace(/\..*\./, '..')],
    ['without its header', (token) => token.replace(/^[^.]*/, '')],
    ['of dots alone', () => '..'],
    ['with a fourth part', (token) => `${token}.AAAA`],
    ['with an empty fourth part', (token) => `${token}.`],
    ['with an empty part before it', (token) => `.${token}`],
    ['of five parts', (token) => `${token}.AAAA.AAAA`],
    ['with padding', (token) => `${token}=`],
    ['with padding after its header', (token) => token.replace('.', '==.')],
    ['with a line break at its end', (token) => `${token}\n`],
    ['with a tab in front', (token) => `\t${token}`],
    ['with a tab after its header', (token) => token.replace('.', '\t.')],
    ['with a no-break space', (token) => `${token}\u00A0`],
    ['with a NUL at its end', (token) => `${token}\0`],
    ['with a character outside the alphabet', (token) => `${token.slice(0, -1)}!`],
    ['in capitals', (token) => token.toUpperCase()],
    ['twice', (token) => `${token}${token}`],
  ])('%s is refused', async (_what, spoil) => {
    await expectRefused(spoil(good()))
  })

  test('has one spelling: no other last character of the signature is taken', async () => {
    const token = good()
    const last = token.at(-1) as string
    const others = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.replace(last, '')
    // Three of them decode to the very same bytes.
    const same = [...others].filter((other) => bytesOf(token.slice(0, -1) + other).equals(bytesOf(token)))
    expect(same).toHaveLength(3)
    const statuses = await Promise.all([...others].map(async (other) => (await present(token.slice(0, -1) + other)).status))
    expect(statuses).toEqual(Array(63).fill(401))
  })

  test('in the alphabet of plain base64 is refused', async () => {
    const token = Array.from({ length: 200 }, (_, n) => forge({ payload: claims({ n }) })).find((made) => /[-_]/.test(made))
    expect(await present(token as string)).toMatchObject({ status: 200 })
    await expectRefused((token as string).replaceAll('-', '+').replaceAll('_', '/'))
  })

  test.each(['=', '==', ' ', '\n'])(
    'whose payload is written with %j at its end is refused, although it was signed so',
    async (extra) => {
      const [header, payload] = good().split('.')
      await expectRefused(sign(`${header}.${payload}${extra}`))
    },
  )

  test('whose payload has bits to spare is refused unless they are zero, although it was signed so', async () => {
    const text = JSON.stringify(claims())
    const [header, payload] = forge({ payload: text + ' '.repeat((4 - (text.length % 3)) % 3) }).split('.') as [string, string]
    expect(await present(sign(`${header}.${payload}`))).toMatchObject({ status: 200 })
    const spare = payload.slice(0, -1) + String.fromCharCode((payload.at(-1) as string).charCodeAt(0) + 1)
    expect(Buffer.from(spare, 'base64url')).toEqual(Buffer.from(payload, 'base64url'))
    await expectRefused(sign(`${header}.${spare}`))
  })

  test.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['text', '4102444800'],
    ['a fraction', 4_102_444_800.5],
    ['beyond what JSON keeps exact', 2 ** 53],
    ['huge', 1e300],
    ['negative', -1],
    ['zero', 0],
    ['true', true],
    ['a list', [4_102_444_800]],
    ['an object', { seconds: 4_102_444_800 }],
    ['a minute ago', Math.floor(Date.now() / 1000) - 60],
    ['now', Math.floor(Date.now() / 1000)],
  ])('whose exp is %s is refused, although it is signed', async (_what, exp) => {
    await expectRefused(forge({ payload: { ...claims(), exp } }))
  })

  test.each<[string, () => unknown]>([
    ['missing', () => undefined],
    ['null', () => null],
    ['text', () => String(person.id)],
    ['negative', () => -person.id],
    ['zero', () => 0],
    ['a fraction', () => person.id / 2 ** 20 + 0.5],
    ['beyond what JSON keeps exact', () => 2 ** 53],
    ['huge', () => 1e300],
    ['true', () => true],
    ['a list', () => [person.id]],
    ['an object', () => ({ id: person.id })],
    ["nobody's", () => 4_711],
    ['one more than a user', () => person.id + 1],
  ])('whose user_id is %s is refused, although it is signed', async (_what, user_id) => {
    await expectRefused(forge({ payload: { ...claims(), user_id: user_id() } }))
  })

  test.each(['null', '[]', '1', '"text"', '', '{', '{"user_id":1'])(
    'whose payload is %j is refused, although it is signed',
    async (payload) => {
      await expectRefused(forge({ payload }))
    },
  )

  test('of a deleted user is refused', async () => {
    const gone = await newUser(admin, 1, 'author')
    const token = forge({ payload: claims({ user_id: gone.id }) })
    expect(await present(token)).toMatchObject({ status: 200 })
    await call('deleteUser', { as: admin, params: { tenant_id: 1, user_id: gone.id } })
    await expectRefused(token)
  })

  test('that claims a role gets the role that its user has', async () => {
    const token = forge({ payload: claims({ role: 'admin', tenant_id: 1 }) })
    expect(await call('listTenants', { as: { token } })).toMatchObject({
      status: 403,
      body: { success: false, error: 'Forbidden' },
    })
  })
})

const bytesOf = (token: string): Buffer => Buffer.from(token.split('.')[2] as string, 'base64url')

/** The header and the signature of one token around the payload of another. */
function splice(outer: string, inner: string): string {
  const [header, , signature] = outer.split('.')
  return `${header}.${inner.split('.')[1]}.${signature}`
}
