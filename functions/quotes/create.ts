import { endpoint } from '#lib/http/endpoint.ts'
import { named } from '#lib/http/reply.ts'
import { mayAskForQuotes } from '#lib/quotes/policy.ts'
import { quote } from '#lib/quotes/pricing.ts'
import { NewQuote, Quote, QuotePath } from '#lib/quotes/quote.ts'
import { getTenant } from '#lib/tenants/store.ts'

export const handler = endpoint(
  {
    summary: 'Ask what a plan costs',
    access: 'bearer',
    params: QuotePath,
    may: mayAskForQuotes,
    body: NewQuote,
    status: 201,
    reply: named('quote', Quote),
  },
  async ({ tenant, body }) => {
    await getTenant(tenant)
    return quote(body)
  },
)
