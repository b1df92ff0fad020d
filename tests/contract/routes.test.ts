import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, malformed, notFound } from '#tests/support/answers.ts'
import { newAdmin, newBlog, newComment, newPost, type Person } from '#tests/support/world.ts'
import { routes } from '#tools/routes.ts'
import { service } from '#tools/service.ts'

const MAX_LINES = 22

const ROUTES = routes()

/** Every handler file, such as `functions/posts/list`. */
const FILES = readdirSync('functions', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`.replace(/\.ts$/, ''))

const HANDLERS = Object.entries(service().functions).map(([name, { handler, events }]) => ({ name, handler, events }))

/** The specification's verbs; `functions/posts/list` is `listPosts`. */
const VERBS = ['list', 'create', 'show', 'update', 'delete']
const RESOURCES = ['tenants', 'users', 'blogs', 'posts', 'comments']

describe('functions/ and serverless.yml', () => {
  test('name the same handlers, each once', () => {
    expect(HANDLERS.map(({ handler }) => handler).sort()).toEqual(FILES.map((file) => `${file}.handler`).sort())
  })

  test('a resource’s function is named after its file', () => {
    const ofResources = HANDLERS.filter(({ handler }) => RESOURCES.includes(handler.split('/')[1] ?? ''))
    expect(ofResources).toHaveLength(23)
    for (const { name, handler } of ofResources) {
      const [, plural = '', verb = ''] = handler.replace(/\.handler$/, '').split('/')
      const noun = plural.charAt(0).toUpperCase() + plural.slice(1)
      expect(VERBS).toContain(verb)
      expect(name).toBe(verb + (verb === 'list' ? noun : noun.replace(/s$/, '')))
    }
  })

  test('every route of the specification is there', () => {
    const specified = readSpecification()
    expect(specified).toHaveLength(29)
    expect(ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual(expect.arrayContaining(specified))
  })

  test('no two functions have one route', () => {
    const shapes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/{\w+}/g, '{}')}`)
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  test.each(FILES)('%s.ts is small and exports its handler alone', async (file) => {
    const source = readFileSync(`${file}.ts`, 'utf8')
    const isHttp = !file.startsWith('functions/workers/')
    if (isHttp) expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES)
    expect(Object.keys(await import(/* @vite-ignore */ `../../${file}.ts`))).toEqual(['handler'])
  })
})

/** The routes of the specification's tables, and the long form of the comments', as serverless.yml writes them. */
function readSpecification(): string[] {
  const resource = (path: string, id: string, verbs = ['GET', 'POST', 'GET ', 'PATCH ', 'DELETE ']) =>
    verbs.map((verb) => (verb.endsWith(' ') ? `${verb}/api/v1${path}/{${id}}` : `${verb} /api/v1${path}`))
  const comments = ['GET', 'POST', 'DELETE ']
  return [
    ...resource('/tenants', 'tenant_id'),
    ...resource('/tenants/{tenant_id}/users', 'user_id'),
    ...resource('/tenants/{tenant_id}/users/{user_id}/blogs', 'blog_id'),
    ...resource('/blogs/{blog_id}/posts', 'post_id'),
    ...resource('/posts/{post_id}/comments', 'comment_id', comments),
    ...resource('/blogs/{blog_id}/posts/{post_id}/comments', 'comment_id', comments),
    'POST /api/v1/login',
    'POST /api/v1/sessions',
    'GET /api/v1/profile',
  ]
}

describe('a path id', () => {
  let admin: Person
  let ids: Record<string, number>

  beforeAll(async () => {
    admin = await newAdmin()
    const blog = await newBlog(admin)
    const post = await newPost(admin, blog.id)
    const comment = await newComment(admin, post.id)
    const key = await ask('createApiKey', { as: admin, body: { name: 'A key' } })
    ids = { key_id: key.body.key.id, tenant_id: 1, user_id: admin.id, blog_id: blog.id, post_id: post.id, comment_id: comment.id }
  })

  const named = ROUTES.flatMap((route) => route.params.map((param) => [`${route.method} ${route.path}`, param, route] as const))
  const pathIds = (params: string[]) => Object.fromEntries(params.map((param) => [param, ids[param] ?? 0]))

  // An admin may do all of this, so with the path as it is no call would be a 404, but a body that nobody takes is a 400.
  test.each(named)('%s knows its %s: what is no id names no record', async (_route, param, { name, params, method }) => {
    const path = pathIds(params)
    const writes = method === 'POST' || method === 'PATCH'
    const call = (params: Record<string, string | number>) => ask(name, { as: admin, params, body: writes ? '{}' : undefined })
    if (writes) expect(await call(path)).toMatchObject({ status: 400 })
    for (const wrong of malformed(ids[param] as number)) {
      expect(await call({ ...path, [param]: wrong }), JSON.stringify(wrong)).toEqual(notFound)
    }
  })

  test('as it is names the record, after all those that were none', async () => {
    for (const { name, method, params } of ROUTES.filter(({ method, params }) => method === 'GET' && params.length > 0)) {
      expect(await ask(name, { as: admin, params: pathIds(params) }), `${method} ${name}`).toMatchObject({ status: 200 })
    }
  })
})
