import { randomUUID } from 'node:crypto'
import type { Role } from '#lib/auth/actor.ts'
import { createFirstAdmin } from '#lib/users/admin.ts'
import { call } from './call.ts'

export const PASSWORD = 'correct horse'

export type Person = { id: number; tenant_id: number; email: string; role: Role; token: string }

/** An email that nobody has. */
export const newEmail = (): string => `${randomUUID()}@example.org`

/** Logs in with the tests' password. */
export async function logIn(user: { id: number; tenant_id: number; email: string; role: Role }): Promise<Person> {
  const { body } = await call('login', { body: { email: user.email, password: PASSWORD, tenant_id: user.tenant_id } })
  return { id: user.id, tenant_id: user.tenant_id, email: user.email, role: user.role, token: body.token }
}

/** An admin of the platform, logged in. */
export async function newAdmin(): Promise<Person> {
  const email = newEmail()
  const { user_id } = await createFirstAdmin({ email, password: PASSWORD })
  return logIn({ id: user_id, tenant_id: 1, email, role: 'admin' })
}

/** A user of a tenant, made by somebody who may, logged in. */
export async function newUser(by: Person, tenant_id: number, role: Role): Promise<Person> {
  const made = await call('createUser', { as: by, params: { tenant_id }, body: { email: newEmail(), password: PASSWORD, role } })
  return logIn(made.body.user)
}

export type House = { tenant_id: number; owner: Person; author: Person; other: Person; reader: Person }

/** A tenant with an owner, two authors and a reader. */
export async function newTenant(admin: Person): Promise<House> {
  const { body } = await call('createTenant', { as: admin, body: { name: 'A tenant' } })
  const tenant_id = body.tenant.id
  const [owner, author, other, reader] = await Promise.all(
    (['owner', 'author', 'author', 'reader'] as const).map((role) => newUser(admin, tenant_id, role)),
  )
  return { tenant_id, owner, author, other, reader } as House
}

export async function newBlog(by: Person, user: Person = by, title = 'A blog') {
  const params = { tenant_id: user.tenant_id, user_id: user.id }
  return (await call('createBlog', { as: by, params, body: { title } })).body.blog
}

export async function newPost(by: Person, blog_id: number, post: object = {}) {
  return (await call('createPost', { as: by, params: { blog_id }, body: { title: 'A post', body: 'Words', ...post } })).body
}

export async function newComment(by: Person, post_id: number, body = 'Well said') {
  return (await call('createComment', { as: by, params: { post_id }, body: { body } })).body.comment
}
