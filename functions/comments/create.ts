import { Comment, CommentsPath, commentLocation, NewComment } from '#lib/comments/comment.ts'
import { createComment } from '#lib/comments/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'Add a comment to a post',
    access: 'bearer',
    params: CommentsPath,
    body: NewComment,
    status: 201,
    reply: named('comment', Comment),
    location: commentLocation,
  },
  ({ actor, tenant, params, body, once }) => createComment(actor, tenant, params, body, once),
)
