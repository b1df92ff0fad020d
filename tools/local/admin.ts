import { randomBytes } from 'node:crypto'
import type { State } from '#tools/local/state.ts'

export interface LocalAdmin {
  email: string
  /** unknown when somebody chose it at another start */
  password: string | undefined
  userId: number
  state: State
}

/** Makes the first admin if there is none, with the email and password of the environment, of the last start, or new ones. */
export async function ensureAdmin(state: State): Promise<LocalAdmin> {
  const { makeFirstAdmin } = await import('#tools/first-admin.ts')
  const email = process.env.ADMIN_EMAIL || state.adminEmail
  const kept = email === state.adminEmail ? state.adminPassword : undefined
  const given = process.env.ADMIN_PASSWORD || undefined
  const generated = kept ?? randomBytes(12).toString('base64url')
  const { created, user_id: userId } = await makeFirstAdmin(email, given ?? generated)
  const adminPassword = created && !given ? generated : kept
  return {
    email,
    password: given ?? adminPassword,
    userId,
    state: { jwtSecret: state.jwtSecret, adminEmail: email, ...(adminPassword && { adminPassword }) },
  }
}
