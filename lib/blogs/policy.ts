import type { Actor } from '#lib/auth/actor.ts'
import type { BlogsPath } from './blog.ts'

/** Creating, updating and deleting: for any user of the tenant, or an author's own. The path names the blog's user. */
export const mayWriteBlogs = ({ id, role }: Actor, { user_id }: BlogsPath): boolean =>
  role === 'admin' || role === 'owner' || (role === 'author' && id === user_id)
