import { PLATFORM_TENANT } from '#lib/auth/actor.ts'
import { Failure } from '#lib/errors.ts'
import { EPOCH_MS, IdTaken, newborn } from '#lib/ids.ts'
import { getItem } from '#lib/table/items.ts'
import { keys } from '#lib/table/keys.ts'
import { transact } from '#lib/table/transact.ts'
import { newTenant } from '#lib/tenants/store.ts'
import { createUser } from './store.ts'

/**
 * Makes the platform's own tenant if there is none, and an admin in it. Where the email is there already nothing changes, and
 * `created` is false. `email` must be normalized, `password` valid.
 */
export async function createFirstAdmin(account: {
  email: string
  password: string
}): Promise<{ created: boolean; user_id: number }> {
  await createPlatformTenant()
  try {
    const { id } = await createUser(PLATFORM_TENANT, { ...account, name: 'Admin', role: 'admin' })
    return { created: true, user_id: id }
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 409) throw error
    const claim = await getItem<{ user_id: number }>(keys.claim(PLATFORM_TENANT, account.email))
    return { created: false, user_id: claim?.user_id ?? 0 }
  }
}

async function createPlatformTenant(): Promise<void> {
  try {
    // Its id is the first of all, and a list's order and ranges go by ids: so is its date.
    await transact(newTenant({ ...newborn(PLATFORM_TENANT, EPOCH_MS), name: 'Platform' }))
  } catch (error) {
    if (!(error instanceof IdTaken)) throw error
  }
}
