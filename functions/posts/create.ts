import { endpoint } from '#lib/http/endpoint.ts'
import { bare } from '#lib/http/reply.ts'
import { mayWritePosts } from '#lib/posts/policy.ts'
import { NewPost, Post, PostsPath, postLocation } from '#lib/posts/post.ts'
import { createPost } from '#lib/posts/store.ts'

export const handler = endpoint(
  {
    summary: 'Publish a post',
    access: 'bearer',
    params: PostsPath,
    may: mayWritePosts,
    body: NewPost,
    status: 201,
    reply: bare(Post),
    location: postLocation,
  },
  ({ actor, tenant, params, body, once }) => createPost(actor, tenant, params.blog_id, body, once),
)
