import type { Installation } from '#tools/local/installation.ts'
import { createRouter } from '#tools/local/router.ts'
import { ensurePackaged } from '#tools/packaged/package.ts'
import { createSandbox } from '#tools/packaged/sandbox.ts'
import {
  entriesOf,
  functionsOf,
  type PackagedFunction,
  readTemplate,
  resolveValue,
  type Template,
  workersOf,
} from '#tools/packaged/template.ts'

/** What `serverless package` makes, each function in its own process through Lambda's Runtime API, as the compiled template says. */
export async function fromArtefacts(): Promise<Installation> {
  await ensurePackaged()
  const template = readTemplate()
  const { entries, fallback } = entriesOf(template)
  const sandboxes = new Map(functionsOf(template).map((fn) => [fn.name, createSandbox(fn, environmentOf(fn, template))]))
  return {
    route: createRouter(entries, fallback),
    workers: workersOf(template),
    async invoke(name, event) {
      const sandbox = sandboxes.get(name)
      if (!sandbox) throw new Error(`The template has no function ${name}`)
      return sandbox.invoke(event)
    },
    async stop() {
      await Promise.all([...sandboxes.values()].map((sandbox) => sandbox.stop()))
    },
  }
}

/** The template's variables and no others, but for the endpoint; each with the shell's value, as at a deployment from it. */
export function environmentOf({ environment }: PackagedFunction, template: Template): Record<string, string> {
  const { AWS_ENDPOINT_URL_DYNAMODB = '' } = process.env
  const variables = Object.entries(environment).map(([name, value]) => [name, process.env[name] || resolveValue(template, value)])
  return { ...Object.fromEntries(variables), AWS_ENDPOINT_URL_DYNAMODB }
}
