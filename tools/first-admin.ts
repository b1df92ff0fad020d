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
    if (error instanceof Failure)
      throw new Problem(`The admin cannot be made: ${[error.error].flat().join(', ')}.`, { cause: error })
    throw new Problem(`The admin cannot be written to the table ${process.env.TABLE_NAME}: ${said(error)}`, { cause: error })
  }
}

const said = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error))
