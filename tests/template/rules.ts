import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Stack, Validations } from 'aws-cdk-lib'
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include'
import { AwsSolutionsChecks } from 'cdk-nag'
import type { Template } from '#tools/packaged/template.ts'

/** What a rule says against a resource of the template, or against the template (`Stack`). */
export type Finding = { rule: string; resource: string; text: string }

type Report = {
  pluginReports: { violations: { ruleName: string; description: string; violatingConstructs: { constructPath: string }[] }[] }[]
}

/**
 * What others' rules say of a template: CloudFormation's own (types, properties, values, references: the CDK brings them along)
 * and cdk-nag's AwsSolutions pack.
 */
export function findingsIn(template: Template): Finding[] {
  const outdir = mkdtempSync(join(tmpdir(), 'masthead-rules-'))
  try {
    const templateFile = join(outdir, 'template.json')
    writeFileSync(templateFile, JSON.stringify(template))
    return reported(synthesise(templateFile, outdir))
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

/** The app throws where a rule is broken, and leaves a report either way. */
function synthesise(templateFile: string, outdir: string): Report {
  const app = new App({ analyticsReporting: false, outdir: join(outdir, 'out') })
  new CfnInclude(new Stack(app, 'Stack'), 'Template', { templateFile })
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
  try {
    app.synth()
  } catch (error) {
    if (!(error as Error).message.includes('validation-report.json')) throw error
  }
  return JSON.parse(readFileSync(join(outdir, 'out/validation-report.json'), 'utf8'))
}

const reported = ({ pluginReports }: Report): Finding[] =>
  pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, description, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => ({
        rule: ruleName,
        resource: constructPath.split('/').at(-1) ?? '',
        text: description,
      })),
    ),
  )
