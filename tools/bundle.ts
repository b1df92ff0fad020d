import { builtinModules } from 'node:module'
import type { BuildOptions, Plugin } from 'esbuild'

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

const warningsFail: Plugin = {
  name: 'warnings-fail',
  setup(build) {
    build.onEnd(({ warnings }) => ({ errors: warnings }))
  },
}

const esbuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  plugins: [builtins, warningsFail],
} satisfies BuildOptions

/** What serverless-esbuild asks for: esbuild's options and its own. Everything is bundled, the SDK too. */
const bundle = () => ({ ...esbuildOptions, outputFileExtension: '.mjs', exclude: [] })

export { bundle as 'module.exports', esbuildOptions }
