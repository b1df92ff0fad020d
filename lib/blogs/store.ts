import { failure } from '#lib/errors.ts'
import { newborn, withNewId } from '#lib/ids.ts'
import { living, mark, type Parent, under } from '#lib/table/anchors.ts'
import { getItem, updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import type { Blog, BlogPatch, NewBlog } from './blog.ts'

const notFound = () => failure('NotFound')

/** The parents that a blog's path names. */
const ofUser = (tenant: TenantId, user: number): Parent[] => [
  { key: anchors.tenant(tenant) },
  { key: anchors.user(tenant, user) },
]

export const listBlogs = (tenant: TenantId, user: number, query: PageQuery): Promise<Page<Blog>> =>
  under(ofUser(tenant, user), readPage(collections.blogs(tenant, user), query))

/** Throws a 404 where it, or a parent, is gone. */
export async function getBlog(tenant: TenantId, user: number, id: number): Promise<Blog> {
  const blog = await under(ofUser(tenant, user), getItem<Blog>(keys.blog(tenant, user, id)))
  if (!blog) throw failure('NotFound')
  return blog
}

/** Throws a 404 where a parent is gone. */
export function createBlog(tenant: TenantId, user: number, input: NewBlog): Promise<Blog> {
  const now = Date.now()
  return withNewId(now, async (id) => {
    const blog = {
      ...newborn(id, now),
      tenant_id: tenant,
      user_id: user,
      title: input.title,
      description: input.description ?? '',
    }
    await transact([
      ...ofUser(tenant, user).map((parent) => living(parent)),
      create(keys.blog(tenant, user, id), 'blog', blog),
      create(anchors.blog(tenant, id), 'anchor', { blog_id: id, user_id: user }),
    ])
    return blog
  })
}

/** Throws a 404 where it, or a parent, is gone. */
export const updateBlog = (tenant: TenantId, user: number, id: number, patch: BlogPatch): Promise<Blog> =>
  under(ofUser(tenant, user), updateRecord(keys.blog(tenant, user, id), patch, [], notFound))

/** Throws a 404 where it, or a parent, is gone. The cascade removes what it owned. */
export const deleteBlog = (tenant: TenantId, user: number, id: number): Promise<void> =>
  under(ofUser(tenant, user), transact([erase(keys.blog(tenant, user, id), [], notFound), mark(anchors.blog(tenant, id))]))
