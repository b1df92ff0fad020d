import { Credentials, CredentialsForm, JwtReply } from '#lib/auth/credentials.ts'
import { openSession } from '#lib/auth/sessions.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { bare } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'Exchange an email and a password for a signed token',
    access: 'public',
    body: Credentials,
    form: CredentialsForm,
    status: 200,
    reply: bare(JwtReply),
  },
  ({ body, source }) => openSession(body, source),
)
