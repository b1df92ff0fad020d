import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { esbuildOptions } from '#tools/bundle.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** One function's bundle, and what of it came from where. */
export interface Bundle {
  /** its source, such as `functions/posts/list.ts` */
  source: string
  /** an absolute path */
  file: string
  /** bytes in the bundle by source file */
  inputs: Record<string, number>
}

/** Bundles every function into a folder, as `serverless package` does. */
export async function bundleAll(folder: string): Promise<Bundle[]> {
  rmSync(folder, { recursive: true, force: true })
  const { metafile } = await build({
    ...esbuildOptions,
    absWorkingDir: ROOT,
    entryPoints: globSync('functions/**/*.ts', { cwd: ROOT }).sort(),
    outbase: '.',
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    metafile: true,
  })
  return Object.entries(metafile.outputs).map(toBundle)
}

function toBundle([path, { entryPoint = '', inputs }]: [string, Metafile['outputs'][string]]): Bundle {
  const bytes = Object.entries(inputs).map(([file, { bytesInOutput }]) => [file, bytesInOutput])
  return { source: entryPoint, file: join(ROOT, path), inputs: Object.fromEntries(bytes) }
}
