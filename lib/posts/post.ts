import * as z from 'zod/mini'
import { id, idDigits, longText, pastTime, text } from '#lib/fields.ts'

/** 300 KiB of UTF-8: a DynamoDB item holds 400 KB. */
const MAX_BODY_BYTES = 307_200

const title = text(200)
const body = longText(MAX_BODY_BYTES)

export const Post = z.object({
  id,
  blog_id: id,
  user_id: id,
  title: z.string(),
  body: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  version: z.int(),
})
export type Post = z.infer<typeof Post>

/** `created_at` keeps the date of a post that was written elsewhere before. */
export const NewPost = z.object({ title, body, created_at: z.optional(pastTime) })
export type NewPost = z.infer<typeof NewPost>

export const PostPatch = z.object({ title: z.optional(title), body: z.optional(body) })
export type PostPatch = z.infer<typeof PostPatch>

export const PostsPath = z.object({ blog_id: idDigits })
export const PostPath = z.object({ blog_id: idDigits, post_id: idDigits })

export const postLocation = ({ id, blog_id }: Post): string => `/blogs/${blog_id}/posts/${id}`
