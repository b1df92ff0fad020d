import { Credentials, CredentialsForm, TokenReply } from '#lib/auth/credentials.ts'
import { logIn } from '#lib/auth/sessions.ts'
import { endpoint } from '#lib/http/endpoint.ts'
import { bare } from '#lib/http/reply.ts'

export const handler = endpoint(
  {
    summary: 'Exchange an email and a password for a token',
    access: 'public',
    body: Credentials,
    form: CredentialsForm,
    status: 200,
    reply: bare(TokenReply),
  },
  ({ body, source }) => logIn(body, source),
)
