import { BlogPath } from '#lib/blogs/blog.ts'
import { mayWriteBlogs } from '#lib/blogs/policy.ts'
import { deleteBlog } from '#lib/blogs/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'

export const handler = endpoint(
  { summary: 'Delete a blog with its posts', access: 'bearer', params: BlogPath, may: mayWriteBlogs, status: 204 },
  ({ tenant, params, ifMatch }) => deleteBlog(tenant, params.user_id, params.blog_id, ifMatch),
)
