import { newborn } from '#lib/ids.ts'
import { getUnder, living, mark, type Parent, under } from '#lib/table/anchors.ts'
import { createRecord, type Once } from '#lib/table/creation.ts'
import { updateRecord } from '#lib/table/items.ts'
import { anchors, collections, keys, type TenantId } from '#lib/table/keys.ts'
import { type Page, type PageQuery, readPage } from '#lib/table/page.ts'
import { asExpected, refusedUnless, type Versions } from '#lib/table/preconditions.ts'
import { create, erase, transact } from '#lib/table/transact.ts'
import { Blog, type BlogPatch, type NewBlog } from './blog.ts'

/** The parents that a blog's path names. */
const ofUser = (tenant: TenantId, user: number): Parent[] => [
  { key: anchors.tenant(tenant) },
  { key: anchors.user(tenant, user) },
]

export const listBlogs = (tenant: TenantId, user: number, query: PageQuery): Promise<Page<Blog>> =>
  under(ofUser(tenant, user), readPage(collections.blogs(tenant, user), Blog, query))

/** Throws a 404 where it, or a parent, is gone. */
export const getBlog = (tenant: TenantId, user: number, id: number): Promise<Blog> =>
  getUnder(ofUser(tenant, user), keys.blog(tenant, user, id))

/** Throws a 404 where a parent is gone. */
export const createBlog = (tenant: TenantId, user: number, { title, description = '' }: NewBlog, once?: Once): Promise<Blog> =>
  createRecord(
    {
      at: Date.now(),
      record: (id, at) => ({ ...newborn(id, at), tenant_id: tenant, user_id: user, title, description }),
      steps: (blog) => [
        ...ofUser(tenant, user).map((parent) => living(parent)),
        create(keys.blog(tenant, user, blog.id), 'blog', blog),
        create(anchors.blog(tenant, blog.id), 'anchor', { blog_id: blog.id, user_id: user }),
      ],
    },
    once,
  )

/** Throws a 404 where it, or a parent, is gone, a 412 where its version is another. */
export const updateBlog = (tenant: TenantId, user: number, id: number, patch: BlogPatch, ifMatch?: Versions): Promise<Blog> =>
  under(ofUser(tenant, user), updateRecord(keys.blog(tenant, user, id), patch, asExpected(ifMatch), refusedUnless()))

/** Throws as an update does. The cascade removes what it owned. */
export function deleteBlog(tenant: TenantId, user: number, id: number, ifMatch?: Versions): Promise<void> {
  const record = erase(keys.blog(tenant, user, id), asExpected(ifMatch), refusedUnless())
  return under(ofUser(tenant, user), transact([record, mark(anchors.blog(tenant, id))]))
}
