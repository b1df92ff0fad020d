import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findingsIn } from './rules.ts'

describe('resources/ci-role.yml', () => {
  const template = parse(readFileSync('resources/ci-role.yml', 'utf8'))

  test('is what CloudFormation takes', () => {
    // Whoever deploys makes resources of every name: cdk-nag's rule against wildcards is for what runs.
    expect(findingsIn(template).filter(({ rule }) => !rule.startsWith('AwsSolutions-IAM5'))).toEqual([])
  })

  test('lets one environment of one repository in, and nobody else', () => {
    const { Statement } = template.Resources.DeployRole.Properties.AssumeRolePolicyDocument
    expect(Statement).toHaveLength(1)
    expect(Object.keys(Statement[0].Condition)).toEqual(['StringEquals'])
    expect(Statement[0].Condition.StringEquals).toEqual({
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': {
        'Fn::Sub': expect.stringMatching(/^repo:\$\{Repository\}:environment:\$\{Stage\}$/),
      },
    })
  })
})

describe('.github/workflows', () => {
  const workflows = globSync('.github/workflows/*.yml').map((file) => [file, readFileSync(file, 'utf8')] as const)
  const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts

  test.each(workflows)('%s uses npm scripts that there are, workflows that there are, and no long-lived key', (_file, text) => {
    for (const [, script = ''] of text.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script)
    for (const [, file = ''] of text.matchAll(/uses: \.\/(\S+)/g)) expect(workflows.map(([name]) => name)).toContain(file)
    expect(text).not.toMatch(/AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY)/i)
    expect(parse(text).permissions).toBeDefined()
  })
})
