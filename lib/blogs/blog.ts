import * as z from 'zod/mini'
import { id, idDigits, optionalText, text } from '#lib/fields.ts'

const title = text(200)
const description = optionalText(2000)

export const Blog = z.object({
  id,
  tenant_id: id,
  user_id: id,
  title: z.string(),
  description: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  version: z.int(),
})
export type Blog = z.infer<typeof Blog>

export const NewBlog = z.object({ title, description: z.optional(description) })
export type NewBlog = z.infer<typeof NewBlog>

export const BlogPatch = z.object({ title: z.optional(title), description: z.optional(description) })
export type BlogPatch = z.infer<typeof BlogPatch>

export const BlogsPath = z.object({ tenant_id: idDigits, user_id: idDigits })
export type BlogsPath = z.infer<typeof BlogsPath>

export const BlogPath = z.object({ tenant_id: idDigits, user_id: idDigits, blog_id: idDigits })
export type BlogPath = z.infer<typeof BlogPath>

export const blogLocation = ({ id, tenant_id, user_id }: Blog): string => `/tenants/${tenant_id}/users/${user_id}/blogs/${id}`
