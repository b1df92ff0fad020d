import { singleValues, validate } from './input.ts'
import type { Middleware } from './request.ts'
import type { Spec } from './spec.ts'

/** Reads the query's parameters that the route takes, and ignores others. */
export function query({ query }: Pick<Spec, 'query'>): Middleware {
  return {
    before: ({ event }) => {
      if (!query) return
      // Not queryStringParameters: there, two values of one name have become one.
      const given = new URLSearchParams(event.rawQueryString)
      const { values, repeated } = singleValues(given, Object.keys(query.shape))
      event.known.query = validate(query, values, repeated)
    },
  }
}
