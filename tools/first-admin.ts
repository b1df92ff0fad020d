import { Failure } from '#lib/errors.ts'
import { validate } from '#lib/http/input.ts'
import { createFirstAdmin } from '#lib/users/admin.ts'
import { NewUser } from '#lib/users/user.ts'
import { Problem } from '#tools/problem.ts'

/** Makes the admin in the table that the environment names, or finds it there. Throws a Problem when that cannot be. */
export async function makeFirstAdmin(email: string, password: string): Promise<{ created: boolean; user_id: number }> {
  try {
    return await createFirstAdmin(validate(NewUser, { email, password }))
  } catch (error) {
    throw new Problem(`The admin cannot be made in the table ${process.env.TABLE_NAME}: ${said(error)}.`, { cause: error })
  }
}

function said(error: unknown): string {
  if (error instanceof Failure && error.status < 500) return [error.error].flat().join(', ')
  const cause = error instanceof Failure ? error.cause : error
  return cause instanceof Error ? cause.message || cause.name : String(cause)
}
