import type { Actor } from '#lib/auth/actor.ts'

/** Asking what a tenant would pay; that it is the caller's own is the scope's work. */
export const mayAskForQuotes = ({ role }: Actor): boolean => role === 'admin' || role === 'owner'
