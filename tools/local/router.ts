/** One line of a routing table. */
export interface Entry {
  /** the function's name */
  name: string
  method: string
  /** such as `/api/v1/blogs/{blog_id}/posts` */
  path: string
}

export type Router = (method: string, path: string) => Match

export interface Match {
  name: string
  routeKey: string
  params: Record<string, string>
}

/** Finds the function for a method and a path; what has no route is `$default`'s, HEAD and a trailing slash too. */
export function createRouter(entries: Entry[], fallback: string): Router {
  const known = entries.map(({ name, method, path }) => ({
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
    return { name: fallback, routeKey: '$default', params: {} }
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
