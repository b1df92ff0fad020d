import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import type { BuildOptions, Plugin } from 'esbuild'
import { trim } from '#tools/bundle/trim.ts'

/**
 * Reads Node's own modules through process.getBuiltinModule(), for `import` and `require` alike. An ESM import of
 * node:http loads undici and http2 with it, which costs a cold start about 50 ms (nodejs/node#59686).
 */
const builtins: Plugin = {
  name: 'builtins',
  setup(build) {
    const names = builtinModules.map((name) => name.replace('/', '\\/')).join('|')
    build.onResolve({ filter: new RegExp(`^(node:)?(${names})$`) }, ({ path }) => ({ path, namespace: 'builtin' }))
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}

const isWorker = (path: string): boolean => path.includes('/functions/workers/')

/** Lets every function of a resource warm up while it is loaded. The worker has time, and the catch-all needs no table. */
const warmUp: Plugin = {
  name: 'warm-up',
  setup(build) {
    build.onLoad({ filter: /\/functions\/\w+\/\w+\.ts$/ }, async ({ path }) => {
      if (isWorker(path)) return undefined
      const source = await readFile(path, 'utf8')
      return { contents: `${source}\nimport { warmUp } from '#lib/warmup.ts'\nawait warmUp()\n`, loader: 'ts' }
    })
  },
}

const warningsFail: Plugin = {
  name: 'warnings-fail',
  setup(build) {
    build.onEnd(({ warnings }) => ({ errors: warnings }))
  },
}

/** How every function is bundled, wherever that happens. */
export const esbuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'], // the packages' ES modules, of which esbuild takes only what is used
  minify: true,
  legalComments: 'none',
  plugins: [builtins, trim, warmUp, warningsFail],
} satisfies BuildOptions

/** What serverless-esbuild asks for: esbuild's options and its own. Everything is bundled, the SDK too. */
const bundle = () => ({ ...esbuildOptions, outputFileExtension: '.mjs', exclude: [] })

export { bundle as 'module.exports' }
