import { endSessions } from '#lib/auth/sessions.ts'
import { endpoint } from '#lib/http/endpoint.ts'

export const handler = endpoint(
  { summary: "End all of the caller's sessions", access: 'login', unmetered: true, status: 204 },
  ({ actor }) => endSessions(actor),
)
