import { type FunctionEvent, service } from '#tools/service.ts'

export interface Route {
  /** the function's name in serverless.yml */
  name: string
  /** its file and export, such as `functions/posts/list.handler` */
  handler: string
  method: string
  /** as in serverless.yml, such as `/api/v1/blogs/{blog_id}/posts` */
  path: string
  params: string[]
}

/** Every HTTP route of serverless.yml but the catch-all; a function with two paths appears twice. */
export function routes(): Route[] {
  return Object.entries(service().functions).flatMap(([name, { handler, events }]) =>
    events.filter(isRoute).map(({ httpApi }) => toRoute(name, handler, httpApi)),
  )
}

const isRoute = (event: FunctionEvent): event is { httpApi: string } => event.httpApi !== undefined && event.httpApi !== '*'

function toRoute(name: string, handler: string, httpApi: string): Route {
  const [method = '', path = ''] = httpApi.split(' ')
  return { name, handler, method, path, params: [...path.matchAll(/{(\w+)}/g)].map(([, param = '']) => param) }
}
