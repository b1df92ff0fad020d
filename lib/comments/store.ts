import type { Actor } from '#lib/auth/actor.ts'
import { Failure, failure } from '#lib/errors.ts'
import { newborn, withNewId } from '#lib/ids.ts'
import { beside, living, type Parent, under } from '#lib/table/anchors.ts'
import { equals } from '#lib/table/expressions.ts'
import { deleteItem, type Refusal } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, transact } from '#lib/table/transact.ts'
import type { Comment, CommentPath, CommentsPath, NewComment } from './comment.ts'
import { moderatesBlogOf, moderatesEverywhere } from './policy.ts'

const refuse: Refusal = (old) => failure(old ? 'Forbidden' : 'NotFound')

const post = (tenant: TenantId, { post_id, blog_id }: CommentsPath): Parent => ({
  key: anchors.post(tenant, post_id),
  ...(blog_id !== undefined && { facts: { blog_id } }),
})

/** The parents that a path names: the post, and in the long form its blog. */
const parents = (tenant: TenantId, path: CommentsPath): Parent[] => [
  post(tenant, path),
  ...(path.blog_id === undefined ? [] : [{ key: anchors.blog(tenant, path.blog_id) }]),
]

export const listComments = (tenant: TenantId, path: CommentsPath, query: PageQuery): Promise<Page<Comment>> =>
  under(parents(tenant, path), readPage(collections.comments(tenant, path.post_id), query))

/** Throws a 404 where a parent is gone. */
export function createComment(actor: Actor, tenant: TenantId, path: CommentsPath, { body }: NewComment): Promise<Comment> {
  const now = Date.now()
  return withNewId(now, async (id) => {
    const { updated_at: _, ...birth } = newborn(id, now)
    const comment = { ...birth, post_id: path.post_id, user_id: actor.id, body }
    await transact([
      ...parents(tenant, path).map((parent) => living(parent)),
      create(keys.comment(tenant, path.post_id, id), 'comment', comment),
    ])
    return comment
  })
}

/** Throws a 404 where it, or a parent, is gone, a 403 where it is neither the caller's own nor on a post in a blog of the caller's. */
export async function deleteComment(actor: Actor, tenant: TenantId, path: CommentPath): Promise<void> {
  const key = keys.comment(tenant, path.post_id, path.comment_id)
  const clauses = moderatesEverywhere(actor) ? [] : [equals('user_id', actor.id)]
  const [[postAnchor], first] = await beside(parents(tenant, path), deleteItem(key, clauses, refuse))
  if (first.status === 'fulfilled') return
  const isOthers = first.reason instanceof Failure && first.reason.status === 403
  if (!isOthers || !moderatesBlogOf(actor, postAnchor?.user_id as number)) throw first.reason
  await deleteItem(key, [], refuse)
}
