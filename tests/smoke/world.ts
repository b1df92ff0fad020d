import { randomUUID } from 'node:crypto'
import { expect, inject } from 'vitest'
import { type Answer, post, remove } from './client.ts'

/** Marks everything of this run: names are unique, and what a killed run leaves can be recognised. */
export const RUN = `smoke-${randomUUID().slice(0, 8)}`
export const PASSWORD = 'correct horse battery'

export interface Person {
  id: number
  tenant_id: number
  email: string
  role: string
  token: string
}

export const newEmail = (name: string): string => `${RUN}.${name}.${randomUUID().slice(0, 8)}@example.org`

/** The body of an answer that must have this status. */
export function bodyOf(status: number, { status: found, body }: Answer) {
  expect({ status: found, body }).toEqual({ status, body: status === 204 ? undefined : expect.anything() })
  return body
}

/** A signed token of the admin: an opaque one would end a session that somebody else has. */
export async function logInAdmin(): Promise<string> {
  const { email, password } = inject('service')
  return bodyOf(200, await post('/sessions', { body: { email, password, tenant_id: 1 } })).jwt
}

/** The token of a user with the suite's password. */
export async function logIn({ email, tenant_id }: { email: string; tenant_id: number }): Promise<string> {
  return bodyOf(200, await post('/login', { body: { email, password: PASSWORD, tenant_id } })).token
}

const tenants = new Set<number>()

/** A new tenant, which `deleteTenants` knows. */
export async function newTenant(admin: string, name: string): Promise<number> {
  const { tenant } = bodyOf(201, await post('/tenants', { as: admin, body: { name: `${RUN} ${name}` } }))
  tenants.add(tenant.id)
  return tenant.id
}

/** A new user, logged in. */
export async function newUser(by: string, tenant_id: number, role: string): Promise<Person> {
  const body = { email: newEmail(role), password: PASSWORD, role }
  const { user } = bodyOf(201, await post(`/tenants/${tenant_id}/users`, { as: by, body }))
  return { id: user.id, tenant_id, email: user.email, role, token: await logIn(user) }
}

export async function newBlog({ id, tenant_id, token }: Person): Promise<number> {
  const path = `/tenants/${tenant_id}/users/${id}/blogs`
  return bodyOf(201, await post(path, { as: token, body: { title: 'A blog' } })).blog.id
}

export async function newPost({ token }: Person, blog: number, fields: object = {}): Promise<number> {
  return bodyOf(201, await post(`/blogs/${blog}/posts`, { as: token, body: { title: 'A post', body: 'Words', ...fields } })).id
}

export async function newComment({ token }: Person, postId: number): Promise<number> {
  return bodyOf(201, await post(`/posts/${postId}/comments`, { as: token, body: { body: 'Well said' } })).comment.id
}

/** An API key, with its token. */
export async function newKey({ token }: Person, scope: 'read' | 'write'): Promise<{ id: number; token: string }> {
  return bodyOf(201, await post('/profile/keys', { as: token, body: { name: `${RUN} ${scope}`, scope } })).key
}

/** Deletes every tenant of this run that is still there, whatever happened before. */
export async function deleteTenants(admin: string): Promise<void> {
  const answers = await Promise.all([...tenants].map((id) => remove(`/tenants/${id}`, { as: admin })))
  for (const { status } of answers) expect([204, 404]).toContain(status)
}
