import { Blog, BlogsPath, blogLocation, NewBlog } from '#lib/blogs/blog.ts'
import { mayWriteBlogs } from '#lib/blogs/policy.ts'
import { createBlog } from '#lib/blogs/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'Create a blog',
    access: 'bearer',
    params: BlogsPath,
    may: mayWriteBlogs,
    body: NewBlog,
    status: 201,
    reply: named('blog', Blog),
    location: blogLocation,
  },
  ({ tenant, params, body, once }) => createBlog(tenant, params.user_id, body, once),
)
