import { Blog, BlogsPath } from '#lib/blogs/blog.ts'
import { listBlogs } from '#lib/blogs/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { pageQuery } from '#lib/http/page.ts'
import { listOf } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'List the blogs of a user',
    access: 'bearer',
    params: BlogsPath,
    query: pageQuery(),
    status: 200,
    reply: listOf('blogs', Blog),
  },
  ({ tenant, params, query }) => listBlogs(tenant, params.user_id, query),
)
