import type { Actor } from '#lib/auth/actor.ts'
import { failure } from '#lib/errors.ts'
import { newborn, withNewId } from '#lib/ids.ts'
import { isLiving, living, mark, under } from '#lib/table/anchors.ts'
import { type Clause, equals } from '#lib/table/expressions.ts'
import { getItem, type Refusal, updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import { mayWriteInAnyBlog } from './policy.ts'
import type { NewPost, Post, PostPatch } from './post.ts'

const inBlog = (tenant: TenantId, blog: number) => [{ key: anchors.blog(tenant, blog) }]

/** An author's post is one in its own blog: a post knows its blog's owner. */
const writable = (actor: Actor): Clause[] => (mayWriteInAnyBlog(actor) ? [] : [equals('blog_user_id', actor.id)])

const refuse: Refusal = (old) => failure(old ? 'Forbidden' : 'NotFound')

export const listPosts = (tenant: TenantId, blog: number, query: PageQuery): Promise<Page<Post>> =>
  under(inBlog(tenant, blog), readPage(collections.posts(tenant, blog), query))

/** Throws a 404 where it, or its blog, is gone. */
export async function getPost(tenant: TenantId, blog: number, id: number): Promise<Post> {
  const post = await under(inBlog(tenant, blog), getItem<Post>(keys.post(tenant, blog, id)))
  if (!post) throw failure('NotFound')
  return post
}

/** Says who owns the blog that a create took for the caller's. */
class OwnedBy extends Error {
  readonly owner: number
  constructor(owner: number) {
    super()
    this.owner = owner
  }
}

/** Throws a 404 where the blog is gone, a 403 where it is not the author's own. */
export async function createPost(actor: Actor, tenant: TenantId, blog: number, input: NewPost): Promise<Post> {
  try {
    return await createInBlogOf(actor.id, actor, tenant, blog, input)
  } catch (error) {
    // A post must know its blog's owner. That it is the caller needs no read; the refused write says who else it is.
    if (!(error instanceof OwnedBy)) throw error
    if (!mayWriteInAnyBlog(actor)) throw failure('Forbidden')
    return createInBlogOf(error.owner, actor, tenant, blog, input)
  }
}

function createInBlogOf(owner: number, actor: Actor, tenant: TenantId, blog: number, input: NewPost): Promise<Post> {
  const { title, body, created_at = Date.now() } = input
  const parent = { key: anchors.blog(tenant, blog), facts: { user_id: owner } }
  return withNewId(created_at, async (id) => {
    const post = { ...newborn(id, created_at), blog_id: blog, user_id: actor.id, title, body }
    await transact([
      living(parent, (old) => (isLiving(old) ? new OwnedBy(old.user_id as number) : failure('NotFound'))),
      create(keys.post(tenant, blog, id), 'post', { ...post, blog_user_id: owner }),
      create(anchors.post(tenant, id), 'anchor', { blog_id: blog, user_id: owner }),
    ])
    return post
  })
}

/** Throws a 404 where it, or its blog, is gone, a 403 where it is not in the author's own blog. */
export const updatePost = (actor: Actor, tenant: TenantId, blog: number, id: number, patch: PostPatch): Promise<Post> =>
  under(inBlog(tenant, blog), updateRecord(keys.post(tenant, blog, id), patch, writable(actor), refuse))

/** Throws as an update does. The cascade removes its comments. */
export const deletePost = (actor: Actor, tenant: TenantId, blog: number, id: number): Promise<void> =>
  under(
    inBlog(tenant, blog),
    transact([erase(keys.post(tenant, blog, id), writable(actor), refuse), mark(anchors.post(tenant, id))]),
  )
