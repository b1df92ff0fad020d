import { endpoint } from '#lib/http/endpoint.ts'
import { pageQuery } from '#lib/http/page.ts'
import { listOf } from '#lib/http/reply.ts'
import { Post, PostsPath } from '#lib/posts/post.ts'
import { listPosts } from '#lib/posts/store.ts'

export const handler = endpoint(
  {
    summary: 'List the posts of a blog',
    access: 'bearer',
    params: PostsPath,
    query: pageQuery(),
    status: 200,
    reply: listOf('posts', Post),
  },
  ({ tenant, params, query }) => listPosts(tenant, params.blog_id, query),
)
