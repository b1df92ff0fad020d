import type { Actor } from '#lib/auth/actor.ts'

/** Deleting anybody's comment, anywhere in the tenant. */
export const moderatesEverywhere = ({ role }: Actor): boolean => role === 'admin' || role === 'owner'

/** Deleting anybody's comment on a post in a blog of that owner. */
export const moderatesBlogOf = ({ id, role }: Actor, owner: number): boolean => role === 'author' && id === owner
