import type { Actor } from '#lib/auth/actor.ts'

/** Creating, updating and deleting, somewhere in the tenant. */
export const mayWritePosts = ({ role }: Actor): boolean => role !== 'reader'

/** Doing so in other people's blogs too; an author writes in its own. */
export const mayWriteInAnyBlog = ({ role }: Actor): boolean => role === 'admin' || role === 'owner'
