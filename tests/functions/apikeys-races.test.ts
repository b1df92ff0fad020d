import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { digestToken } from '#lib/auth/tokens.ts'
import { getItem } from '#lib/table/items.ts'
import { type Answer, ask, gone, notFound, unauthorized } from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import { openStream } from '#tests/support/stream.ts'
import { allItems } from '#tests/support/table.ts'
import { type House, logIn, newAdmin, newTenant, newUser, type Person } from '#tests/support/world.ts'

// The real read, before which something else can happen.
vi.mock('#lib/table/items.ts', async (original) => {
  const items = await original<typeof import('#lib/table/items.ts')>()
  return { ...items, getItem: vi.fn(items.getItem) }
})

let house: House
let admin: Person
let person: Person

beforeAll(async () => {
  admin = await newAdmin()
  house = await newTenant(admin)
})

beforeEach(async () => {
  person = await newUser(admin, house.tenant_id, 'author')
})

const realGetItem = vi.mocked(getItem).getMockImplementation() as typeof getItem

/** Runs a request, and something else right before it reads from that partition. */
async function interrupted<T>(pk: string, meanwhile: () => Promise<unknown>, request: () => Promise<T>): Promise<T> {
  let isDue = true
  vi.mocked(getItem).mockImplementation(async (key) => {
    if (isDue && key.pk === pk) {
      isDue = false
      await meanwhile()
    }
    return realGetItem(key)
  })
  const answer = await request()
  vi.mocked(getItem).mockImplementation(realGetItem)
  expect(isDue).toBe(false)
  return answer
}

const pathOf = ({ tenant_id, id }: Person) => ({ tenant_id, user_id: id })
const change = (body: object, as = house.owner) => ask('updateUser', { as, params: pathOf(person), body })
const newKey = (as: { token: string } = person, body: object = {}): Promise<Answer> =>
  ask('createApiKey', { as, body: { name: 'A key', scope: 'write', ...body } })
const profile = async (token: string): Promise<number> => (await ask('showProfile', { as: { token } })).status
const signed = async (): Promise<{ token: string }> => {
  const { email, tenant_id } = person
  return { token: (await call('createSession', { body: { email, tenant_id, password: 'correct horse' } })).body.jwt }
}

/** What stands of a user's tokens: the digests that the principal and the login know, and the items that open a door. */
async function doors({ id }: Person) {
  const items = (await allItems()).filter((item) => item.user_id === id || item.pk.endsWith(`#USER#${id}`))
  const principal = items.find(({ type }) => type === 'principal') as
    | { token_digest?: string; role: string; api_keys?: { id: number; digest: string }[] }
    | undefined
  const known = [principal?.token_digest, ...(principal?.api_keys ?? []).map(({ digest }) => digest)].filter(Boolean)
  const tokens = items.filter(({ type }) => type === 'token')
  return {
    known: known.sort(),
    open: tokens.map(({ pk }) => pk.replace('TOKEN#', '')).sort(),
    roles: [...new Set(tokens.map(({ role }) => role))],
    role: principal?.role,
    keys: (principal?.api_keys ?? []).map(({ id }) => id).sort(),
    listed: items
      .filter(({ type }) => type === 'key')
      .map((item) => item.id as number)
      .sort(),
  }
}

async function expectConsistent(person: Person): Promise<void> {
  const { known, open, roles, role, keys, listed } = await doors(person)
  expect(open).toEqual(known)
  expect(listed).toEqual(keys)
  expect(roles).toEqual(open.length > 0 ? [role] : [])
}

describe('a session that ends while it makes a key', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['by a new password', () => change({ password: 'another horse' })],
    ['by its own end', () => ask('deleteSessions', { as: person })],
  ])('leaves none behind: %s', async (_how, end) => {
    for (const as of [person, await signed()]) {
      expect(await interrupted(`USER#${person.id}`, end, () => newKey(as))).toEqual(unauthorized)
    }
    expect((await doors(person)).listed).toEqual([])
    await expectConsistent(person)
  })

  test('by another login: the key is not made, and the new session stands', async () => {
    let later = person
    const login = async () => {
      later = await logIn(person)
    }
    expect(await interrupted(`USER#${person.id}`, login, () => newKey())).toEqual(unauthorized)
    expect(await newKey(later)).toMatchObject({ status: 201 })
    await expectConsistent(person)
  })

  test('by the user’s end', async () => {
    const remove = () => ask('deleteUser', { as: house.owner, params: pathOf(person) })
    expect(await interrupted(`USER#${person.id}`, remove, () => newKey())).toEqual(unauthorized)
    expect(await doors(person)).toMatchObject({ known: [], open: [], listed: [] })
  })

  test('a role that changes meanwhile is the key’s', async () => {
    const made = await interrupted(
      `USER#${person.id}`,
      () => change({ role: 'reader' }),
      () => newKey(),
    )
    expect(made).toMatchObject({ status: 201 })
    expect(await ask('showProfile', { as: made.body.key })).toMatchObject({ status: 200, body: { role: 'reader' } })
    await expectConsistent(person)
  })
})

describe('a login or a key that comes between the reads of a change', () => {
  const CHANGES: [string, object][] = [
    ['email and password', { password: 'another horse' }],
    ['email and role', { role: 'reader' }],
    ['email', {}],
  ]
  const INTRUSIONS: [string, () => Promise<unknown>][] = [
    ['a login', () => logIn(person)],
    ['a new key', () => newKey()],
    ['a logout', () => ask('deleteSessions', { as: person })],
  ]

  test.each(CHANGES.flatMap(([what, body]) => INTRUSIONS.map(([who, meanwhile]) => [what, who, body, meanwhile] as const)))(
    'of %s, %s, is no way around it',
    async (_what, _who, body, meanwhile) => {
      await newKey()
      const email = `${randomUUID()}@example.org`
      const changed = await interrupted(`EMAIL#${person.email}`, meanwhile, () => change({ email, ...body }))
      expect(changed).toMatchObject({ status: 200, body: { user: { email } } })
      await expectConsistent(person)
      if ('password' in body) expect(await doors(person)).toMatchObject({ open: [], listed: [] })
    },
  )
})

describe('all at once', () => {
  test('keys made and ended, roles changed and logins leave one truth', async () => {
    const first = await Promise.all(Array.from({ length: 3 }, () => newKey()))
    expect(first.map(({ status }) => status)).toEqual([201, 201, 201])
    for (let round = 0; round < 3; round++) {
      const mine = await signed()
      const [, , ...answers] = await Promise.all([
        change({ role: round % 2 === 0 ? 'reader' : 'owner' }),
        logIn(person),
        newKey(mine),
        newKey(mine),
        ask('deleteApiKey', { as: mine, params: { key_id: first[round]?.body.key.id } }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 204])
      await expectConsistent(person)
    }
    expect((await doors(person)).listed).toHaveLength(6)
  })

  test('a key is ended once', async () => {
    const { body } = await newKey()
    const end = () => ask('deleteApiKey', { as: person, params: { key_id: body.key.id } })
    const answers = await Promise.all([end(), end(), end()])
    expect(answers.sort((a, b) => a.status - b.status)).toEqual([gone, notFound, notFound])
    await expectConsistent(person)
  })

  test('no more than 20 keys are kept', async () => {
    const mine = await signed()
    for (let n = 0; n < 18; n++) expect(await newKey(mine)).toMatchObject({ status: 201 })
    const answers = await Promise.all(Array.from({ length: 5 }, () => newKey(mine)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422])
    await expectConsistent(person)
    expect((await doors(person)).listed).toHaveLength(20)
  })

  test('a deleted user’s keys are all dead, whoever makes more meanwhile', async () => {
    const drain = await openStream()
    const kept = await newKey()
    const makes = Array.from({ length: 5 }, () => newKey())
    const removed = ask('deleteUser', { as: house.owner, params: pathOf(person) })
    const made = await Promise.all(makes)
    expect(await removed).toEqual(gone)
    for (const { status, body } of [kept, ...made]) {
      if (status === 201) expect(await profile(body.key.token)).toBe(401)
    }
    await drain()
    expect(await doors(person)).toMatchObject({ known: [], open: [], listed: [] })
  })

  test('the digest of a key opens nothing', async () => {
    const { body } = await newKey()
    expect(await profile(body.key.token)).toBe(200)
    expect(await profile(digestToken(body.key.token))).toBe(401)
    expect(await profile(`mh_${digestToken(body.key.token)}`)).toBe(401)
  })
})
