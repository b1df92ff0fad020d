import { endpoint } from '#lib/http/endpoint.ts'
import { bare } from '#lib/http/reply.ts'
import { Post, PostPath } from '#lib/posts/post.ts'
import { getPost } from '#lib/posts/store.ts'

export const handler = endpoint(
  { summary: 'Show a post', access: 'bearer', params: PostPath, status: 200, reply: bare(Post) },
  ({ tenant, params }) => getPost(tenant, params.blog_id, params.post_id),
)
