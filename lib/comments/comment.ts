import * as z from 'zod/mini'
import { id, idDigits, text } from '#lib/fields.ts'

export const Comment = z.object({ id, post_id: id, user_id: id, body: z.string(), created_at: z.string(), version: z.int() })
export type Comment = z.infer<typeof Comment>

export const NewComment = z.object({ body: text(5000) })
export type NewComment = z.infer<typeof NewComment>

/** Both forms of the path: with the blog, the post must be in it. */
export const CommentsPath = z.object({ blog_id: z.optional(idDigits), post_id: idDigits })
export type CommentsPath = z.infer<typeof CommentsPath>

export const CommentPath = z.object({ blog_id: z.optional(idDigits), post_id: idDigits, comment_id: idDigits })
export type CommentPath = z.infer<typeof CommentPath>

export const commentLocation = ({ id, post_id }: Comment): string => `/posts/${post_id}/comments/${id}`
