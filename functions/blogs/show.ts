import { Blog, BlogPath } from '#lib/blogs/blog.ts'
import { getBlog } from '#lib/blogs/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'

export const handler = endpoint(
  { summary: 'Show a blog', access: 'bearer', params: BlogPath, status: 200, reply: named('blog', Blog) },
  ({ tenant, params }) => getBlog(tenant, params.user_id, params.blog_id),
)
