import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '#lib/auth/actor.ts'
import {
  anId,
  ask,
  at,
  CHANGED,
  conflict,
  forbidden,
  gone,
  invalid,
  iso,
  MADE,
  missing,
  notFound,
  unauthorized,
} from '#tests/support/answers.ts'
import { call } from '#tests/support/call.ts'
import {
  type House,
  logIn,
  newAdmin,
  newBlog,
  newComment,
  newPost,
  newTenant,
  newUser,
  PASSWORD,
  type Person,
} from '#tests/support/world.ts'

let admin: Person
let house: House
let foreign: House

beforeAll(async () => {
  admin = await newAdmin()
  ;[house, foreign] = await Promise.all([newTenant(admin), newTenant(admin)])
})

let count = 0
const newEmail = () => `user-${++count}@example.org`
const account = (more: object = {}) => ({ email: newEmail(), password: PASSWORD, ...more })

const here = () => ({ tenant_id: house.tenant_id })
const pathOf = ({ id, tenant_id }: { id: number; tenant_id: number }) => ({ tenant_id, user_id: id })

const create = (as: Person, body: object, params: { tenant_id: number } = here()) => ask('createUser', { as, params, body })
const made = async (more: object = {}) => (await at(MADE, () => create(house.owner, account(more)))).body.user
const patch = (as: Person, user: { id: number; tenant_id: number }, body: object) =>
  ask('updateUser', { as, params: pathOf(user), body })
const show = (as: Person, user: { id: number; tenant_id: number }) => ask('showUser', { as, params: pathOf(user) })
const remove = (as: Person, user: { id: number; tenant_id: number }) => ask('deleteUser', { as, params: pathOf(user) })
const knocks = (email: string, password: string = PASSWORD, tenant_id = house.tenant_id) =>
  ask('login', { body: { email, password, tenant_id } })

const wrongCredentials = { status: 401, body: { error: 'Invalid credentials' } }
const newcomer = (role: Role) => newUser(house.owner, house.tenant_id, role)

describe('POST /tenants/{tenant_id}/users', () => {
  test('an owner creates a user, who is told where it is and can log in', async () => {
    const body = account({ name: 'Ada', role: 'reader' })
    const made = await at(MADE, () => call('createUser', { as: house.owner, params: here(), body }))
    const user = {
      id: anId,
      tenant_id: house.tenant_id,
      email: body.email,
      name: 'Ada',
      role: 'reader',
      created_at: iso(MADE),
      updated_at: iso(MADE),
      version: 1,
    }
    expect({ status: made.status, body: made.body }).toEqual({ status: 201, body: { success: true, user } })
    expect(made.headers.location).toBe(`/api/v1/tenants/${house.tenant_id}/users/${made.body.user.id}`)
    expect(await show(house.owner, made.body.user)).toEqual({ status: 200, body: made.body })
    expect(await knocks(body.email)).toEqual({ status: 200, body: { token: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  })

  test('a user is an author without a name unless said otherwise', async () => {
    expect(await create(house.owner, account())).toMatchObject({ status: 201, body: { user: { name: '', role: 'author' } } })
  })

  test('an admin creates one in any tenant', async () => {
    for (const tenant_id of [house.tenant_id, foreign.tenant_id, 1]) {
      expect(await create(admin, account(), { tenant_id })).toMatchObject({ status: 201, body: { user: { tenant_id } } })
    }
    expect(await create(admin, account(), { tenant_id: 2 })).toEqual(notFound)
  })

  test.each(['owner', 'author', 'reader'])('an owner gives the role of %s', async (role) => {
    expect(await create(house.owner, account({ role }))).toMatchObject({ status: 201, body: { user: { role } } })
  })

  test('only an admin gives admin, and only in the platform', async () => {
    const notInList = invalid(['role', 'inclusion', 'Role is not included in the list'])
    expect(await create(house.owner, account({ role: 'admin' }))).toEqual(notInList)
    expect(await create(admin, account({ role: 'admin' }))).toEqual(notInList)
    expect(await create(admin, account({ role: 'admin' }), { tenant_id: 1 })).toMatchObject({
      status: 201,
      body: { user: { role: 'admin' } },
    })
    const owner = await newUser(admin, 1, 'owner')
    expect(await create(owner, account({ role: 'admin' }), { tenant_id: 1 })).toEqual(notInList)
  })

  test('an email is trimmed, and its A-Z are lower-cased', async () => {
    const email = newEmail()
    expect(await create(house.owner, account({ email: ` \t${email.toUpperCase()}\n` }))).toMatchObject({
      status: 201,
      body: { user: { email } },
    })
    expect(await knocks(email)).toMatchObject({ status: 200 })
  })

  test('an email is unique within its tenant, in whatever case it is written', async () => {
    const email = newEmail()
    expect(await create(house.owner, account({ email }))).toMatchObject({ status: 201 })
    for (const same of [email, email.toUpperCase(), ` ${email} `]) {
      expect(await create(house.owner, account({ email: same }))).toEqual(conflict)
    }
    expect(await create(foreign.owner, account({ email }), foreign)).toMatchObject({ status: 201, body: { user: { email } } })
  })

  test('of two at once with one email, one is created', async () => {
    const body = account()
    const answers = await Promise.all([create(house.owner, body), create(house.owner, body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test('what only the service sets, and what it does not know, is ignored', async () => {
    const given = {
      id: 7,
      tenant_id: foreign.tenant_id,
      created_at: iso(0),
      updated_at: iso(0),
      version: 9,
      password_digest: 'x',
      token: 'x',
      rev: 9,
    }
    const body = account()
    const { status, body: reply } = await at(MADE, () => create(house.owner, { ...body, ...given }))
    const user = {
      id: anId,
      tenant_id: house.tenant_id,
      email: body.email,
      name: '',
      role: 'author',
      created_at: iso(MADE),
      updated_at: iso(MADE),
      version: 1,
    }
    expect({ status, body: reply }).toEqual({ status: 201, body: { success: true, user } })
    expect(reply.user.id).not.toBe(7)
  })

  test.each([
    ['8 characters', 'pässwört'],
    ['8 characters outside the basic plane', '🦀'.repeat(8)],
    ['72 bytes', 'é'.repeat(36)],
    ['only white space', ' '.repeat(8)],
  ])('a password may be %s', async (_what, password) => {
    const body = account({ password })
    expect(await create(house.owner, body)).toMatchObject({ status: 201 })
    expect(await knocks(body.email, password)).toMatchObject({ status: 200 })
    expect(await knocks(body.email, `${password}!`)).toEqual(wrongCredentials)
  })

  const emailInvalid = invalid(['email', 'invalid', 'Email is invalid'])
  const passwordTooShort = ['password', 'too_short', 'Password is too short (minimum is 8 characters)'] as const
  const passwordTooLong = invalid(['password', 'too_long', 'Password is too long (maximum is 72 bytes)'])
  const nameTooLong = ['name', 'too_long', 'Name is too long (maximum is 200 characters)'] as const

  test.each<[string, object, object]>([
    ['nothing at all', {}, missing('email, password')],
    ['no password', { email: 'a@example.org' }, missing('password')],
    ['no email, and a wrong role', { password: 'x', role: 'king' }, missing('email')],
    ['an email without @', account({ email: 'example.org' }), emailInvalid],
    ['two addresses', account({ email: 'a@example.org, b@example.org' }), emailInvalid],
    ['a named address', account({ email: 'Ada <a@example.org>' }), emailInvalid],
    ['an address with a full-width @', account({ email: 'a＠example.org' }), emailInvalid],
    ['an address with a dotless i', account({ email: 'adm\u0131n@example.org' }), emailInvalid],
    ['an address with a Kelvin sign', account({ email: 'mi\u212Ae@example.org' }), emailInvalid],
    ['an address of 255 characters', account({ email: `${'a'.repeat(243)}@example.org` }), emailInvalid],
    ['an empty email', account({ email: '' }), emailInvalid],
    ['null as email', account({ email: null }), invalid(['email', 'invalid_type', 'Email must be a string'])],
    ['a list of emails', account({ email: ['a@example.org'] }), invalid(['email', 'invalid_type', 'Email must be a string'])],
    ['a password of 7 characters', account({ password: 'x'.repeat(7) }), invalid([...passwordTooShort])],
    ['a password of 7 emoji', account({ password: '🦀'.repeat(7) }), invalid([...passwordTooShort])],
    ['a password of 73 bytes', account({ password: 'x'.repeat(73) }), passwordTooLong],
    ['a password of 73 bytes in 37 characters', account({ password: `${'é'.repeat(36)}x` }), passwordTooLong],
    [
      'a password with NUL',
      account({ password: 'pass\0word' }),
      invalid(['password', 'null_character', 'Password contains a null character']),
    ],
    [
      'a password with half a surrogate pair',
      account({ password: 'password\udc00' }),
      invalid(['password', 'invalid_unicode', 'Password contains invalid Unicode']),
    ],
    ['a number as password', account({ password: 12345678 }), invalid(['password', 'invalid_type', 'Password must be a string'])],
    ['a long name', account({ name: 'x'.repeat(201) }), invalid([...nameTooLong])],
    ['null as name', account({ name: null }), invalid(['name', 'invalid_type', 'Name must be a string'])],
    [
      'a name with half a surrogate pair',
      account({ name: '\ud83d' }),
      invalid(['name', 'invalid_unicode', 'Name contains invalid Unicode']),
    ],
    ['an unknown role', account({ role: 'king' }), invalid(['role', 'inclusion', 'Role is not included in the list'])],
    ['a role in capitals', account({ role: 'Owner' }), invalid(['role', 'inclusion', 'Role is not included in the list'])],
    ['null as role', account({ role: null }), invalid(['role', 'invalid_type', 'Role must be a string'])],
    [
      'everything wrong, in field order whatever the order sent',
      { role: 'king', name: 'x'.repeat(201), password: 'x\0', email: 'x' },
      invalid(
        ['email', 'invalid', 'Email is invalid'],
        [...passwordTooShort],
        ['password', 'null_character', 'Password contains a null character'],
        [...nameTooLong],
        ['role', 'inclusion', 'Role is not included in the list'],
      ),
    ],
  ])('is refused with %s, whether or not the tenant exists', async (_what, body, refusal) => {
    expect(await create(house.owner, body)).toEqual(refusal)
    expect(await create(admin, body, { tenant_id: 2 })).toEqual(refusal)
  })

  test.each([
    ['an author', () => house.author, forbidden],
    ['a reader', () => house.reader, forbidden],
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s, and no email is taken by it', async (_who, as, refusal) => {
    const body = account()
    expect(await ask('createUser', { as: as(), params: here(), body })).toEqual(refusal)
    expect(await create(house.owner, body)).toMatchObject({ status: 201 })
  })
})

describe('GET /tenants/{tenant_id}/users and /users/{user_id}', () => {
  test('admins and owners see everything of everybody, newest first', async () => {
    const { owner, reader, tenant_id } = await newTenant(admin)
    const { body } = await ask('listUsers', { as: owner, params: { tenant_id } })
    const ids = body.users.map(({ id }: { id: number }) => id)
    expect(ids).toHaveLength(4)
    expect(ids).toEqual(ids.toSorted((a: number, b: number) => b - a))
    const user = { ...pathOf(reader), id: reader.id, email: reader.email, name: '', role: 'reader', version: 1 }
    const { user_id: _, ...seen } = { ...user, created_at: expect.any(String), updated_at: expect.any(String) }
    expect(body.users.find(({ id }: { id: number }) => id === reader.id)).toEqual(seen)
    expect(await ask('listUsers', { as: admin, params: { tenant_id } })).toEqual({ status: 200, body })
    expect(await show(admin, reader)).toEqual({ status: 200, body: { success: true, user: seen } })
  })

  test.each(['author', 'reader'] as const)("an %s sees its own email and nobody else's", async (role) => {
    const { owner, [role]: me, tenant_id } = await newTenant(admin)
    const { body: whole } = await ask('listUsers', { as: owner, params: { tenant_id } })
    const members = whole.users.map(({ id, name, role, created_at, ...hidden }: Record<string, unknown>) =>
      id === me.id ? { id, name, role, created_at, ...hidden } : { id, tenant_id, name, role, created_at },
    )
    expect(await ask('listUsers', { as: me, params: { tenant_id } })).toEqual({ status: 200, body: { ...whole, users: members } })
    for (const user of members) {
      expect(await show(me, user)).toEqual({ status: 200, body: { success: true, user } })
    }
    expect(members.filter((user: object) => 'email' in user)).toHaveLength(1)
  })

  test.each([
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('are refused to %s', async (_who, as, refusal) => {
    expect(await ask('listUsers', { as: as(), params: here() })).toEqual(refusal)
    expect(await ask('showUser', { as: as(), params: pathOf(house.reader) })).toEqual(refusal)
  })

  test('a user is found under its own tenant only', async () => {
    for (const as of [house.owner, house.reader, admin]) {
      expect(await ask('showUser', { as, params: { ...here(), user_id: foreign.owner.id } })).toEqual(notFound)
      expect(await ask('showUser', { as, params: { ...here(), user_id: 1 } })).toEqual(notFound)
    }
    expect(await ask('listUsers', { as: admin, params: { tenant_id: 2 } })).toEqual(notFound)
  })
})

describe('PATCH /tenants/{tenant_id}/users/{user_id}', () => {
  test.each([
    ['the name', { name: 'Grace' }, { name: 'Grace' }],
    ['the name, to nothing', { name: '' }, { name: '' }],
    ['the role', { role: 'owner' }, { role: 'owner' }],
    ['the email', { email: 'New@Example.org ' }, { email: 'new@example.org' }],
    ['the password', { password: 'another one' }, {}],
    [
      'everything',
      { name: 'G', role: 'reader', email: 'g@example.org', password: 'another one' },
      { name: 'G', role: 'reader', email: 'g@example.org' },
    ],
  ])('an owner changes %s', async (_what, body, seen) => {
    const user = await made({ name: 'Before' })
    const changed = { ...user, ...seen, updated_at: iso(CHANGED), version: 2 }
    expect(await at(CHANGED, () => patch(house.owner, user, body))).toEqual({
      status: 200,
      body: { success: true, user: changed },
    })
    expect(await show(house.owner, user)).toEqual({ status: 200, body: { success: true, user: changed } })
  })

  test.each(['author', 'reader'] as const)('an %s changes its own name, email and password', async (role) => {
    const me = await newcomer(role)
    const email = newEmail()
    const changed = await patch(me, me, { name: 'Me', email, password: 'a new password' })
    expect(changed).toMatchObject({
      status: 200,
      body: { success: true, user: { id: me.id, name: 'Me', email, role, version: 2 } },
    })
    expect(await knocks(email, 'a new password')).toMatchObject({ status: 200 })
  })

  test('an admin changes a user of any tenant', async () => {
    const user = await made()
    expect(await patch(admin, user, { role: 'reader', name: 'By an admin' })).toMatchObject({
      status: 200,
      body: { user: { role: 'reader', name: 'By an admin' } },
    })
    expect(await patch(admin, { ...user, tenant_id: foreign.tenant_id }, { name: 'Elsewhere' })).toEqual(notFound)
    expect(await patch(admin, { ...user, tenant_id: foreign.tenant_id }, { role: 'owner' })).toEqual(notFound)
    expect(await show(admin, user)).toMatchObject({ body: { user: { name: 'By an admin', role: 'reader', version: 2 } } })
  })

  test('what only the service sets is ignored', async () => {
    const user = await made()
    const given = { id: 7, tenant_id: 1, created_at: iso(0), updated_at: iso(0), version: 9, password_digest: 'x', token: 'y' }
    const answer = await at(CHANGED, () => patch(house.owner, user, { name: 'Only this', ...given }))
    expect(answer).toEqual({
      status: 200,
      body: { success: true, user: { ...user, name: 'Only this', updated_at: iso(CHANGED), version: 2 } },
    })
  })

  test.each(['author', 'reader'] as const)('an %s may not give a role, also beside what it may change', async (role) => {
    const me = await newcomer(role)
    for (const body of [
      { role: 'owner' },
      { role },
      { name: 'Me', role: 'owner' },
      { email: 'x', role: 'owner' },
      { role: null },
    ]) {
      expect(await patch(me, me, body)).toEqual(forbidden)
    }
    expect(await show(me, me)).toMatchObject({ body: { user: { name: '', role, version: 1 } } })
  })

  test('only an admin gives admin, and only in the platform', async () => {
    const notInList = invalid(['role', 'inclusion', 'Role is not included in the list'])
    const user = await made()
    expect(await patch(house.owner, user, { role: 'admin' })).toEqual(notInList)
    expect(await patch(admin, user, { role: 'admin' })).toEqual(notInList)
    const [owner, colleague] = await Promise.all([newUser(admin, 1, 'owner'), newUser(admin, 1, 'author')])
    expect(await patch(owner, colleague, { role: 'admin' })).toEqual(notInList)
    expect(await patch(admin, colleague, { role: 'admin' })).toMatchObject({ status: 200, body: { user: { role: 'admin' } } })
    expect(await ask('listTenants', { as: colleague })).toMatchObject({ status: 200 })
  })

  test('a changed role counts from the next request', async () => {
    const user = await newcomer('reader')
    const blogs = { tenant_id: user.tenant_id, user_id: user.id }
    expect(await ask('createBlog', { as: user, params: blogs, body: { title: 'Now?' } })).toEqual(forbidden)
    expect(await patch(house.owner, user, { role: 'author' })).toMatchObject({ status: 200 })
    expect(await ask('createBlog', { as: user, params: blogs, body: { title: 'Now' } })).toMatchObject({ status: 201 })
    expect(await patch(house.owner, user, { role: 'reader' })).toMatchObject({ status: 200 })
    expect(await ask('createBlog', { as: user, params: blogs, body: { title: 'Now?' } })).toEqual(forbidden)
  })

  test('a new email is the one to log in with, and frees the old one', async () => {
    const user = await made()
    const email = newEmail()
    expect(await patch(house.owner, user, { email })).toMatchObject({ status: 200 })
    expect(await knocks(email)).toMatchObject({ status: 200 })
    expect(await knocks(user.email)).toEqual(wrongCredentials)
    expect(await create(house.owner, account({ email: user.email }))).toMatchObject({ status: 201 })
    expect(await create(house.owner, account({ email }))).toEqual(conflict)
  })

  test('a new email leaves the user logged in', async () => {
    const user = await newcomer('author')
    expect(await patch(user, user, { email: newEmail() })).toMatchObject({ status: 200 })
    expect(await ask('showProfile', { as: user })).toMatchObject({ status: 200, body: { id: user.id } })
  })

  test("another user's email is a conflict in the tenant, and none across tenants", async () => {
    const [user, other] = [await made({ name: 'Before' }), await made()]
    const abroad = await newUser(foreign.owner, foreign.tenant_id, 'reader')
    expect(await patch(house.owner, user, { name: 'After', email: other.email.toUpperCase() })).toEqual(conflict)
    expect(await show(house.owner, user)).toEqual({ status: 200, body: { success: true, user } })
    expect(await patch(house.owner, user, { email: abroad.email })).toMatchObject({
      status: 200,
      body: { user: { email: abroad.email } },
    })
    expect(await knocks(abroad.email, PASSWORD, foreign.tenant_id)).toMatchObject({ status: 200 })
  })

  test('the email that it has already is no conflict', async () => {
    const user = await made()
    expect(await patch(house.owner, user, { email: user.email.toUpperCase() })).toMatchObject({
      status: 200,
      body: { user: { email: user.email, version: 2 } },
    })
    expect(await knocks(user.email)).toMatchObject({ status: 200 })
  })

  test('of two requests at once for one email of one user, both find it done', async () => {
    const [user, email] = [await made(), newEmail()]
    const answers = await Promise.all([patch(house.owner, user, { email }), patch(house.owner, user, { email })])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await knocks(email)).toMatchObject({ status: 200 })
  })

  test('of two who take one email at once, one gets it', async () => {
    const [one, other, email] = [await made(), await made(), newEmail()]
    const answers = await Promise.all([patch(house.owner, one, { email }), patch(house.owner, other, { email })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test.each([
    ['the user', (user: Person) => user],
    ['an owner', () => house.owner],
  ])('a password changed by %s ends every session, and the old one opens none', async (_who, by) => {
    const user = await newcomer('author')
    const { jwt } = (await ask('createSession', { body: { email: user.email, password: PASSWORD } })).body
    expect(await patch(by(user), user, { password: 'another one' })).toMatchObject({ status: 200 })
    expect(await ask('showProfile', { as: user })).toEqual(unauthorized)
    expect(await ask('showProfile', { as: { token: jwt } })).toEqual(unauthorized)
    expect(await knocks(user.email)).toEqual(wrongCredentials)
    expect(await knocks(user.email, 'another one')).toMatchObject({ status: 200 })
  })

  test('changes of different fields at once are all there in the end', async () => {
    const user = await made()
    const email = newEmail()
    const changes = [{ name: 'Name' }, { role: 'reader' }, { email }, { password: 'another one' }]
    const answers = await Promise.all(changes.map((change) => patch(house.owner, user, change)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await show(house.owner, user)).toMatchObject({ body: { user: { name: 'Name', role: 'reader', email, version: 5 } } })
    expect(await knocks(email, 'another one')).toMatchObject({ status: 200 })
  })

  test.each([
    ['without a field', {}, missing('email, password, name, role')],
    ['with fields that are no fields of it', { id: 1, tenant_id: 1 }, missing('email, password, name, role')],
    ['with a wrong email', { email: 'x' }, invalid(['email', 'invalid', 'Email is invalid'])],
    ['with null as email', { email: null }, invalid(['email', 'invalid_type', 'Email must be a string'])],
    ['with null as password', { password: null }, invalid(['password', 'invalid_type', 'Password must be a string'])],
    ['with null as name', { name: null }, invalid(['name', 'invalid_type', 'Name must be a string'])],
    [
      'with a short password',
      { name: 'N', password: 'short' },
      invalid(['password', 'too_short', 'Password is too short (minimum is 8 characters)']),
    ],
    ['with an unknown role', { name: 'N', role: 'king' }, invalid(['role', 'inclusion', 'Role is not included in the list'])],
  ])('is refused %s, whether or not the user exists', async (_why, body, refusal) => {
    const user = await made()
    expect(await patch(house.owner, user, body)).toEqual(refusal)
    expect(await patch(house.owner, { ...user, id: 1 }, body)).toEqual(refusal)
    expect(await show(house.owner, user)).toEqual({ status: 200, body: { success: true, user } })
  })

  test.each([
    ['another author', () => house.author, forbidden],
    ['a reader', () => house.reader, forbidden],
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign author', () => foreign.author, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s', async (_who, as, refusal) => {
    const user = await made()
    for (const body of [{ name: 'X' }, { email: newEmail() }, { password: 'another one' }]) {
      expect(await ask('updateUser', { as: as(), params: pathOf(user), body })).toEqual(refusal)
    }
    expect(await show(house.owner, user)).toEqual({ status: 200, body: { success: true, user } })
  })

  test('an owner finds no user that is not there', async () => {
    for (const user_id of [1, foreign.author.id]) {
      for (const body of [{ name: 'X' }, { role: 'reader' }]) {
        expect(await ask('updateUser', { as: house.owner, params: { ...here(), user_id }, body })).toEqual(notFound)
      }
    }
  })
})

describe('DELETE /tenants/{tenant_id}/users/{user_id}', () => {
  test.each([
    ['an owner', () => house.owner],
    ['an admin', () => admin],
    ['the user', (user: Person) => user],
  ])('%s deletes a user, who can do nothing from then on', async (_who, by) => {
    const user = await newcomer('author')
    const { jwt } = (await ask('createSession', { body: { email: user.email, password: PASSWORD } })).body
    expect(await remove(by(user), user)).toEqual(gone)
    expect(await ask('showProfile', { as: user })).toEqual(unauthorized)
    expect(await ask('showProfile', { as: { token: jwt } })).toEqual(unauthorized)
    expect(await knocks(user.email)).toEqual(wrongCredentials)
    expect(await show(house.owner, user)).toEqual(notFound)
    expect(await remove(house.owner, user)).toEqual(notFound)
    expect(await patch(house.owner, user, { name: 'Back' })).toEqual(notFound)
    expect(await patch(house.owner, user, { role: 'reader' })).toEqual(notFound)
    const { body } = await ask('listUsers', { as: house.owner, params: here(), query: { limit: 100 } })
    expect(body.users.map(({ id }: { id: number }) => id)).not.toContain(user.id)
  })

  test('an owner may delete itself', async () => {
    const owner = await newcomer('owner')
    expect(await remove(owner, owner)).toEqual(gone)
    expect(await ask('showProfile', { as: owner })).toEqual(unauthorized)
  })

  test('its email is free again', async () => {
    const user = await made()
    expect(await remove(house.owner, user)).toEqual(gone)
    expect(await create(house.owner, account({ email: user.email }))).toMatchObject({ status: 201 })
    expect(await knocks(user.email)).toMatchObject({ status: 200 })
  })

  test('nothing that its path names is there any more, and its comments on the posts of others stay', async () => {
    const user = await newcomer('author')
    const blog = await newBlog(user)
    const post = await newPost(house.author, (await newBlog(house.author)).id)
    const comment = await newComment(user, post.id)
    expect(await remove(house.owner, user)).toEqual(gone)
    const named: [name: string, params: Record<string, number>, body?: object][] = [
      ['listBlogs', pathOf(user)],
      ['createBlog', pathOf(user), { title: 'Late' }],
      ['showBlog', { ...pathOf(user), blog_id: blog.id }],
      ['updateBlog', { ...pathOf(user), blog_id: blog.id }, { title: 'Late' }],
      ['deleteBlog', { ...pathOf(user), blog_id: blog.id }],
    ]
    for (const [name, params, body] of named) {
      expect({ name, ...(await ask(name, { as: house.owner, params, body })) }).toEqual({ name, ...notFound })
    }
    const left = await ask('listComments', { as: house.author, params: { post_id: post.id } })
    expect(left.body.comments).toEqual([comment])
  })

  test.each([
    ['another author', () => house.author, forbidden],
    ['a reader', () => house.reader, forbidden],
    ['a foreign owner', () => foreign.owner, notFound],
    ['a foreign reader', () => foreign.reader, notFound],
    ['nobody', () => undefined, unauthorized],
  ])('is refused to %s', async (_who, as, refusal) => {
    const user = await made()
    expect(await ask('deleteUser', { as: as(), params: pathOf(user) })).toEqual(refusal)
    expect(await show(house.owner, user)).toEqual({ status: 200, body: { success: true, user } })
  })

  test('a user is found under its own tenant only', async () => {
    for (const as of [house.owner, admin]) {
      expect(await ask('deleteUser', { as, params: { ...here(), user_id: foreign.author.id } })).toEqual(notFound)
    }
    expect(await show(foreign.owner, foreign.author)).toMatchObject({ status: 200 })
  })
})

describe('the admins of the platform', () => {
  const roleOf = async (user: Person) => (await show(admin, user)).body.user?.role

  test('one can neither delete nor demote itself', async () => {
    const me = await newAdmin()
    expect(await remove(me, me)).toEqual(forbidden)
    for (const role of ['owner', 'author', 'reader']) expect(await patch(me, me, { role })).toEqual(forbidden)
    expect(await patch(me, me, { name: 'Me', role: 'reader' })).toEqual(forbidden)
    expect(await patch(me, me, { name: 'Me', role: 'admin' })).toMatchObject({
      status: 200,
      body: { user: { name: 'Me', role: 'admin' } },
    })
  })

  test('one may demote or delete another', async () => {
    const [demoted, deleted] = [await newAdmin(), await newAdmin()]
    expect(await patch(admin, demoted, { role: 'reader' })).toMatchObject({ status: 200, body: { user: { role: 'reader' } } })
    expect(await ask('listTenants', { as: demoted })).toEqual(forbidden)
    expect(await remove(admin, deleted)).toEqual(gone)
    expect(await ask('listTenants', { as: deleted })).toEqual(unauthorized)
  })

  test.each<[string, (by: Person, whom: Person) => ReturnType<typeof ask>]>([
    ['demote', (by, whom) => patch(by, whom, { role: 'reader' })],
    ['delete', (by, whom) => remove(by, whom)],
  ])('of two who %s each other at once, one is left', async (_verb, act) => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await newAdmin(), await newAdmin()]
      await Promise.all([act(one, other), act(other, one)])
      const left = [await roleOf(one), await roleOf(other)].filter((role) => role === 'admin')
      expect(left).toHaveLength(1)
    }
  })

  test('an owner in the platform may touch no admin, by none of the fields', async () => {
    const owner = await newUser(admin, 1, 'owner')
    const victim = await newAdmin()
    const before = await show(admin, victim)
    for (const body of [
      { name: 'X' },
      { email: newEmail() },
      { password: 'another one' },
      { role: 'reader' },
      { role: 'owner', name: 'X' },
    ]) {
      expect(await patch(owner, victim, body)).toEqual(forbidden)
    }
    expect(await remove(owner, victim)).toEqual(forbidden)
    expect(await show(admin, victim)).toEqual(before)
    expect(await logIn(victim)).toMatchObject({ token: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  test('an owner in the platform reaches no other tenant', async () => {
    const owner = await newUser(admin, 1, 'owner')
    expect(await ask('listUsers', { as: owner, params: here() })).toEqual(notFound)
    expect(await ask('listTenants', { as: owner })).toEqual(forbidden)
    expect(await remove(owner, house.author)).toEqual(notFound)
  })
})
