import { Blog, BlogPatch, BlogPath } from '#lib/blogs/blog.ts'
import { mayWriteBlogs } from '#lib/blogs/policy.ts'
import { updateBlog } from '#lib/blogs/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'Update a blog',
    access: 'bearer',
    params: BlogPath,
    may: mayWriteBlogs,
    body: BlogPatch,
    status: 200,
    reply: named('blog', Blog),
  },
  ({ tenant, params, body, ifMatch }) => updateBlog(tenant, params.user_id, params.blog_id, body, ifMatch),
)
