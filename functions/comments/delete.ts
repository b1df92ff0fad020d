import { CommentPath } from '#lib/comments/comment.ts'
import { deleteComment } from '#lib/comments/store.ts'
import { endpoint } from '#lib/http/endpoint.ts'

export const handler = endpoint(
  { summary: 'Delete a comment', access: 'bearer', params: CommentPath, status: 204 },
  ({ actor, tenant, params, ifMatch }) => deleteComment(actor, tenant, params, ifMatch),
)
