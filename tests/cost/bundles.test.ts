import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { type Bundle, bundleAll } from '#tools/bundle/all.ts'
import { TRIMS } from '#tools/bundle/trim.ts'
import packageJson from '../../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = fileURLToPath(new URL('../../.build/bundles', import.meta.url))
const PROBE = fileURLToPath(new URL('probe.ts', import.meta.url))

/** Bytes of any function, and what bcryptjs may add. A cold start loads and compiles every one of them. */
const BUDGET = { raw: 230_000, gzip: 78_000 }
const BCRYPT = 25_000

/** What brings seconds of cold start, or does nothing on Lambda. */
const FORBIDDEN = [
  /\/zod\/v4\/locales\//,
  /\/zod\/v4\/classic\//,
  /\/@aws-sdk\/(nested-clients|token-providers|credential-provider-(?!env\/|node\/dist-es\/(index|runtime\/memoize-chain)\.js))/,
  /\/@smithy\/credential-provider-imds\//,
  /\/(undici|aws-sdk|aws-lambda)\//,
]

let bundles: Bundle[]

beforeAll(async () => {
  bundles = await bundleAll(FOLDER)
}, 60_000)

/** Where a file came from: `@aws-sdk/core` of `node_modules/@aws-sdk/core/dist-es/index.js`. */
const packageOf = (file: string): string => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? ''

test('every bundle keeps within its bytes', () => {
  const sizes = bundles.map(({ source, file, inputs }) => {
    const contents = readFileSync(file)
    const more = Object.keys(inputs).some((input) => packageOf(input) === 'bcryptjs') ? BCRYPT : 0
    return { source, raw: contents.length - more, gzip: gzipSync(contents, { level: 9 }).length - more }
  })
  expect(sizes.length).toBeGreaterThan(30)
  expect(sizes.filter(({ raw, gzip }) => raw > BUDGET.raw || gzip > BUDGET.gzip)).toEqual([])
})

test('no bundle has what Lambda does not need', () => {
  const files = new Set(bundles.flatMap(({ inputs }) => Object.keys(inputs).filter((file) => (inputs[file] as number) > 0)))
  expect([...files].filter((file) => FORBIDDEN.some((pattern) => pattern.test(file)))).toEqual([])
})

test('no bundle has a development dependency', () => {
  const packages = new Set(bundles.flatMap(({ inputs }) => Object.keys(inputs).map(packageOf)))
  expect(packages).toContain('zod')
  expect(Object.keys(packageJson.devDependencies).filter((name) => packages.has(name))).toEqual([])
})

test('no bundle loads undici, http2 or child_process, nor fails, while it is loaded or at its first event', async () => {
  const env = {
    TABLE_NAME: process.env.TABLE_NAME,
    AWS_ENDPOINT_URL_DYNAMODB: process.env.AWS_ENDPOINT_URL_DYNAMODB,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    JWT_SECRET: process.env.JWT_SECRET,
  }
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE, ...bundles.map(({ file }) => file)], { env })
  const found: Record<string, string[]> = JSON.parse(stdout)
  const loaded = Object.entries(found).map(([file, names]) => [relative(FOLDER, file), names] as const)
  expect(loaded.length).toBe(bundles.length)
  expect(loaded.filter(([, names]) => names.length > 0)).toEqual([])
})

test('what is trimmed is still what the dependencies have', () => {
  const files = globSync('node_modules/@{aws-sdk,smithy}/*/dist-es/**/*.js', { cwd: ROOT })
  expect(TRIMS.filter(({ file }) => !files.some((path) => file.test(path))).map(({ reason }) => reason)).toEqual([])
})
