import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

type Params = Record<string, Record<string, unknown>>

const DOCS = readFileSync('docs/deploy.md', 'utf8')

const rows = DOCS.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter((cells) => cells.length === 5)

/** `${env:DOMAIN, ''}` is `$DOMAIN` to a reader. */
const shown = (value: unknown): string =>
  value === undefined ? '' : `\`${String(value).replace(/^\$\{env:(\w+), ''\}$/, '$$$1')}\``

test('docs/deploy.md has every parameter of a stage, with its values', () => {
  const { default: others = {}, staging = {}, prod = {} }: Params = parse(readFileSync('serverless.yml', 'utf8')).params
  const expected = Object.keys(others).map((name) => [
    `\`${name}\``,
    shown(others[name]),
    shown(staging[name]),
    shown(prod[name]),
  ])
  expect(rows.map((cells) => cells.slice(0, 4))).toEqual(expected)
})

test('docs/deploy.md names npm scripts that there are', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [, script = ''] of DOCS.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script)
})
