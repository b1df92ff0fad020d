import { routes } from '#tools/routes.ts'

export interface Match {
  /** the function's name in serverless.yml */
  name: string
  routeKey: string
  params: Record<string, string>
}

/** Finds the function for a method and a path; what has no route is `$default`'s, HEAD and a trailing slash too. */
export function createRouter(): (method: string, path: string) => Match {
  const known = routes().map(({ name, method, path }) => ({
    name,
    method,
    routeKey: `${method} ${path}`,
    pattern: patternOf(path),
  }))
  return (method, path) => {
    for (const { name, routeKey, pattern } of known.filter((route) => route.method === method)) {
      const found = pattern.exec(path)
      if (found) return { name, routeKey, params: decoded(found.groups) }
    }
    return { name: 'notFound', routeKey: '$default', params: {} }
  }
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/{(\w+)}/g, '(?<$1>[^/]+)')}$`)

const decoded = (groups: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]))

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
