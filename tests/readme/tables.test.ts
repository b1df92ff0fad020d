import { existsSync, globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { ROWS } from '#tests/cost/table.ts'
import { stateFiles } from '#tools/local/state.ts'
import { routes } from '#tools/routes.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { blocksOf, inlineCode, rowsOf, section } from './markdown.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(ROOT + file, 'utf8')

/** A row's first cell without its backticks. */
const nameOf = ([name = '']: string[]): string => name.replaceAll('`', '')

test('the table of routes is serverless.yml, in its order, with the words of the handlers', () => {
  const rows = routes().map(({ method, path, handler }) => {
    const [, , summary] = /summary: (['"])(.+?)\1,/.exec(read(handler.replace(/\.handler$/, '.ts'))) ?? []
    return [method, `\`${path.replace('/api/v1', '')}\``, summary]
  })
  expect(rows.length).toBeGreaterThan(29)
  expect(rowsOf('Routes')).toEqual(rows)
})

describe('the table of settings', () => {
  const rows = rowsOf('Settings')
  const names = rows.map(nameOf)

  /** Of the machine or the C library, or AWS's own and the same in every tool, or what Lambda gives its runtime. */
  const NOT_OURS =
    /^(PATH|HOME|MALLOC_ARENA_MAX|AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|PROFILE|SESSION_TOKEN)|AWS_LAMBDA_.+|LAMBDA_TASK_ROOT)$/

  const variables = (source: string): string[] => [
    ...[...source.matchAll(/process\.env\.([A-Z][A-Z_]+)/g)].map(([, name = '']) => name),
    ...[...source.matchAll(/\{([^{}]*)\} = process\.env\b/g)].flatMap(([, taken = '']) => taken.match(/\b[A-Z][A-Z_]+\b/g) ?? []),
  ]

  const inConfig = [...read('lib/config.ts').matchAll(/(?:^ {2}|\{ )([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name)

  test('has every variable that the code reads, and no other', () => {
    const files = globSync(['lib/**/*.ts', 'functions/**/*.ts', 'tools/**/*.ts', 'tests/smoke/*.ts'], { cwd: ROOT })
    const inCode = files.flatMap((file) => variables(read(file))).filter((name) => !NOT_OURS.test(name))
    expect(inConfig).toEqual(expect.arrayContaining(['TABLE_NAME', 'JWT_SECRET', 'BCRYPT_COST']))
    expect(inCode).toEqual(expect.arrayContaining(['PORT', 'HOST', 'ADMIN_EMAIL', 'DYNAMODB_ENDPOINT', 'API_URL']))
    expect(names.toSorted()).toEqual([...new Set([...inConfig, ...inCode])].sort())
  })

  test('has the defaults of lib/config.ts', async () => {
    for (const name of inConfig) vi.stubEnv(name, '')
    vi.stubEnv('TABLE_NAME', 'any-table')
    vi.stubEnv('JWT_SECRET', 'x'.repeat(32))
    vi.resetModules()
    const readers: (() => object)[] = Object.values(await import('#lib/config.ts'))
    const { TABLE_NAME: _given, JWT_SECRET: _too, ...defaults } = Object.assign({}, ...readers.map((config) => config()))
    vi.unstubAllEnvs()
    expect(defaults).toMatchObject({ JWT_LIFETIME_SECONDS: 86_400, LOGIN_TOKEN: 'opaque' })
    const simple = Object.entries(defaults).filter(([, value]) => typeof value !== 'object')
    for (const [name, value] of simple) expect([name, rows[names.indexOf(name)]?.[1]]).toEqual([name, `\`${value}\``])
  })

  test('has what a deployed function is given', () => {
    const variables = Object.keys(parse(read('serverless.yml')).provider.environment)
    const given = variables.filter((name) => !NOT_OURS.test(name))
    expect(names).toEqual(expect.arrayContaining(given))
    expect(inConfig).toEqual(expect.arrayContaining(given))
  })
})

test('every npm script is in the table of commands, and every command is a script', () => {
  const scripts = Object.keys(packageJson.scripts).map((name) =>
    ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`,
  )
  expect(
    rowsOf('Commands')
      .map((row) => nameOf(row).split(' -- ')[0])
      .sort(),
  ).toEqual(scripts.sort())
})

test('every file and folder that the README names is there', () => {
  const paths = inlineCode().filter((code) => /^(lib|functions|tests|tools)\/[\w./-]*$/.test(code) && !code.includes('tags'))
  expect(paths.length).toBeGreaterThan(4)
  expect(paths.filter((path) => !existsSync(ROOT + path))).toEqual([])
})

test('the layout names every folder of functions/ and lib/', () => {
  const layout = blocksOf('How the code is laid out')[0]?.text ?? ''
  const folders = globSync(['functions/*/', 'lib/*/'], { cwd: ROOT }).map((path) => `${path.split('/')[1]}/`)
  expect(folders.length).toBeGreaterThan(10)
  expect(folders.filter((folder) => !layout.includes(folder))).toEqual([])
})

test('the handler that the README shows is one', () => {
  const shown = blocksOf('How the code is laid out').filter(({ language }) => language === 'ts')
  expect(shown).toHaveLength(1)
  expect(read('functions/posts/show.ts')).toContain(shown[0]?.text)
})

test('the tour finds the password where npm start leaves it', () => {
  expect(`${ROOT}.masthead/state.json`).toBe(stateFiles.state)
  expect(section('Five minutes with curl')).toContain("require('./.masthead/state.json').adminPassword")
})

test('every test that SECURITY.md names is there', () => {
  const named = [...read('SECURITY.md').matchAll(/`(tests\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter((path) => !existsSync(ROOT + path))).toEqual([])
})

test('the table of costs says what was counted', () => {
  const counted: Record<string, [name: string, when: string]> = {
    'show a post': ['showPost', ''],
    'list 20 posts of 1 KB': ['listPosts', '20 of 1 KB'],
    'publish a post': ['createPost', ''],
    'publish it under an idempotency key': ['createPost', 'under an idempotency key'],
    'change a post': ['updatePost', ''],
    'add a comment': ['createComment', 'by the post'],
    'log in': ['login', ''],
  }
  const expected = Object.entries(counted).map(([label, [name, when]]) => {
    const row = ROWS.find((each) => each.name === name && each.when === when)
    return [label, String(row?.rcu), String(row?.wcu)]
  })
  expect(rowsOf('Cost').map((row) => row.slice(0, 3))).toEqual(expected)
})
