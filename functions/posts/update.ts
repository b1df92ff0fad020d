import { endpoint } from '#lib/http/endpoint.ts'
import { bare } from '#lib/http/reply.ts'
import { mayWritePosts } from '#lib/posts/policy.ts'
import { Post, PostPatch, PostPath } from '#lib/posts/post.ts'
import { updatePost } from '#lib/posts/store.ts'

export const handler = endpoint(
  {
    summary: 'Update a post',
    access: 'bearer',
    params: PostPath,
    may: mayWritePosts,
    body: PostPatch,
    status: 200,
    reply: bare(Post),
  },
  ({ actor, tenant, params, body, ifMatch }) => updatePost(actor, tenant, params.blog_id, params.post_id, body, ifMatch),
)
