import type { Actor } from '#lib/auth/actor.ts'
import { failure } from '#lib/errors.ts'
import { newborn } from '#lib/ids.ts'
import { getUnder, isLiving, living, mark, under } from '#lib/table/anchors.ts'
import { type Creation, createRecord, type Once } from '#lib/table/creation.ts'
import { type Clause, equals } from '#lib/table/expressions.ts'
import { updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { asExpected, refusedUnless, type Versions } from '#lib/table/preconditions.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import { mayWriteInAnyBlog } from './policy.ts'
import { type NewPost, Post, type PostPatch } from './post.ts'

const inBlog = (tenant: TenantId, blog: number) => [{ key: anchors.blog(tenant, blog) }]

/** An author's post is one in its own blog: a post knows its blog's owner. */
const writable = (actor: Actor): Clause[] => (mayWriteInAnyBlog(actor) ? [] : [equals('blog_user_id', actor.id)])

const refuse = (actor: Actor) => refusedUnless(({ blog_user_id }) => mayWriteInAnyBlog(actor) || blog_user_id === actor.id)

export const listPosts = (tenant: TenantId, blog: number, query: PageQuery): Promise<Page<Post>> =>
  under(inBlog(tenant, blog), readPage(collections.posts(tenant, blog), Post, query))

/** Throws a 404 where it, or its blog, is gone. */
export const getPost = (tenant: TenantId, blog: number, id: number): Promise<Post> =>
  getUnder(inBlog(tenant, blog), keys.post(tenant, blog, id))

/** Says who owns the blog that a create took for the caller's. */
class OwnedBy extends Error {
  readonly owner: number
  constructor(owner: number) {
    super()
    this.owner = owner
  }
}

/** Throws a 404 where the blog is gone, a 403 where it is not the author's own. */
export async function createPost(actor: Actor, tenant: TenantId, blog: number, input: NewPost, once?: Once): Promise<Post> {
  try {
    return await createRecord(newPost(actor.id, actor, tenant, blog, input), once)
  } catch (error) {
    // A post must know its blog's owner. That it is the caller needs no read; the refused write says who else it is.
    if (!(error instanceof OwnedBy)) throw error
    if (!mayWriteInAnyBlog(actor)) throw failure('Forbidden')
    return createRecord(newPost(error.owner, actor, tenant, blog, input), once)
  }
}

function newPost(owner: number, actor: Actor, tenant: TenantId, blog: number, input: NewPost): Creation<Post> {
  const { title, body, created_at = Date.now() } = input
  const parent = { key: anchors.blog(tenant, blog), facts: { user_id: owner } }
  return {
    at: created_at,
    record: (id, at) => ({ ...newborn(id, at), blog_id: blog, user_id: actor.id, title, body }),
    steps: (post) => [
      living(parent, (old) => (isLiving(old) ? new OwnedBy(old.user_id as number) : failure('NotFound'))),
      create(keys.post(tenant, blog, post.id), 'post', { ...post, blog_user_id: owner }),
      create(anchors.post(tenant, post.id), 'anchor', { blog_id: blog, user_id: owner }),
    ],
  }
}

/** Throws a 404 where it, or its blog, is gone, a 403 where it is not in the author's own blog, a 412 where its version is another. */
export function updatePost(
  actor: Actor,
  tenant: TenantId,
  blog: number,
  id: number,
  patch: PostPatch,
  ifMatch?: Versions,
): Promise<Post> {
  const clauses = [...writable(actor), ...asExpected(ifMatch)]
  return under(inBlog(tenant, blog), updateRecord(keys.post(tenant, blog, id), patch, clauses, refuse(actor)))
}

/** Throws as an update does. The cascade removes its comments. */
export function deletePost(actor: Actor, tenant: TenantId, blog: number, id: number, ifMatch?: Versions): Promise<void> {
  const record = erase(keys.post(tenant, blog, id), [...writable(actor), ...asExpected(ifMatch)], refuse(actor))
  return under(inBlog(tenant, blog), transact([record, mark(anchors.post(tenant, id))]))
}
