import { endpoint } from '#lib/http/endpoint.ts'
import { mayWritePosts } from '#lib/posts/policy.ts'
import { PostPath } from '#lib/posts/post.ts'
import { deletePost } from '#lib/posts/store.ts'

export const handler = endpoint(
  { summary: 'Delete a post with its comments', access: 'bearer', params: PostPath, may: mayWritePosts, status: 204 },
  ({ actor, tenant, params, ifMatch }) => deletePost(actor, tenant, params.blog_id, params.post_id, ifMatch),
)
