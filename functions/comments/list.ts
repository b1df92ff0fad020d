import { Comment, CommentsPath } from '#lib/comments/comment.ts'
import { listComments } from '#lib/comments/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { pageQuery } from '#lib/http/page.ts'
import { listOf } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'List the comments on a post',
    access: 'bearer',
    params: CommentsPath,
    query: pageQuery('asc'),
    status: 200,
    reply: listOf('comments', Comment),
  },
  ({ tenant, params, query }) => listComments(tenant, params, query),
)
