import type { Actor } from '#lib/auth/actor.ts'
import { Failure } from '#lib/errors.ts'
import { newborn } from '#lib/ids.ts'
import { beside, living, type Parent, under } from '#lib/table/anchors.ts'
import { createRecord, type Once } from '#lib/table/creation.ts'
import { type Clause, equals } from '#lib/table/expressions.ts'
import { deleteItem, type Refusal } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { asExpected, refusedUnless, type Versions } from '#lib/table/preconditions.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import { Comment, type CommentPath, type CommentsPath, type NewComment } from './comment.ts'
import { moderatesBlogOf, moderatesEverywhere } from './policy.ts'

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
  under(parents(tenant, path), readPage(collections.comments(tenant, path.post_id), Comment, query))

/** Throws a 404 where a parent is gone. */
export const createComment = (
  actor: Actor,
  tenant: TenantId,
  path: CommentsPath,
  input: NewComment,
  once?: Once,
): Promise<Comment> =>
  createRecord(
    {
      at: Date.now(),
      record: (id, at) => newComment(id, at, { post_id: path.post_id, user_id: actor.id, ...input }),
      steps: (comment) => [
        ...parents(tenant, path).map((parent) => living(parent)),
        create(keys.comment(tenant, path.post_id, comment.id), 'comment', comment),
      ],
    },
    once,
  )

/** A comment can't be edited: it has no `updated_at`. */
function newComment(id: number, at: number, rest: Pick<Comment, 'post_id' | 'user_id' | 'body'>): Comment {
  const { updated_at: _, ...birth } = newborn(id, at)
  return { ...birth, ...rest }
}

/**
 * Throws a 404 where it, or a parent, is gone, a 403 where it is neither the caller's own nor on a post in a blog of the caller's,
 * a 412 where its version is another.
 */
export async function deleteComment(actor: Actor, tenant: TenantId, path: CommentPath, ifMatch?: Versions): Promise<void> {
  const key = keys.comment(tenant, path.post_id, path.comment_id)
  const mayAny = moderatesEverywhere(actor)
  const own = mayAny ? [] : [equals('user_id', actor.id)]
  const refuse = refusedUnless(({ user_id }) => mayAny || user_id === actor.id)
  // Under a wrong blog nothing may go: there the check is part of the delete, not beside it.
  const remove = (clauses: Clause[], refuse: Refusal): Promise<void> =>
    path.blog_id === undefined
      ? deleteItem(key, clauses, refuse)
      : transact([living(post(tenant, path)), erase(key, clauses, refuse)])
  const [[anchor], first] = await beside(parents(tenant, path), remove([...own, ...asExpected(ifMatch)], refuse))
  if (first.status === 'fulfilled') return
  const isOthers = first.reason instanceof Failure && first.reason.status === 403
  if (!isOthers || !moderatesBlogOf(actor, anchor?.user_id as number)) throw first.reason
  await remove(asExpected(ifMatch), refusedUnless())
}
