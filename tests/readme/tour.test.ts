import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '#tests/smoke/service.ts'
import { type Block, blocksOf } from './markdown.ts'

const MARK = '--- end of a block ---'

interface Step {
  command: string
  /** what the README says that it prints; undefined where it says nothing */
  shown: Block | undefined
}

/** Each bash block with the block after it. */
const steps: Step[] = blocksOf('Five minutes with curl').flatMap(({ language, text: command }, index, all) => {
  const next = all[index + 1]
  return language === 'bash' ? [{ command, shown: next?.language === 'bash' ? undefined : next }] : []
})

/** Runs the blocks in one bash that ends at the first command that fails; gives what each printed. */
async function paste(blocks: string[], { url, email, password }: Service) {
  const env = { PATH: process.env.PATH, API_URL: url, ADMIN_EMAIL: email, ADMIN_PASSWORD: password }
  const bash = spawn('bash', ['-e', '-o', 'pipefail', '-u'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  bash.stdin.end(`TOKEN=\n${blocks.map((block) => `${block}\necho '${MARK}'\n`).join('')}`)
  const [printed, errors, [status]] = await Promise.all([text(bash.stdout), text(bash.stderr), once(bash, 'exit')])
  return { status, errors, printed: printed.split(`${MARK}\n`).slice(0, -1) }
}

/**
 * A text with its ids, times and tokens numbered by first appearance: the README's differ from a run's, but what is the same
 * there must be the same here. One numbering serves the whole tour.
 */
function numbering() {
  const known = new Map<string, string>()
  const numbered = (kind: string) => (value: string) => known.get(value) ?? known.set(value, `"${kind} ${known.size}"`).get(value)
  return (given: string) =>
    given.replace(/\b\d{13,16}\b/g, numbered('id') as () => string).replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"a time"')
}

/** JSON may be broken into lines in the README. */
const parsed = (language: string, output: string) => (language === 'json' ? JSON.parse(output) : output)

describe('the tour of the README', () => {
  let service: Service
  let run: Awaited<ReturnType<typeof paste>>

  beforeAll(async () => {
    service = await startService()
    try {
      run = await paste(
        steps.map(({ command }) => command),
        service,
      )
    } finally {
      await service.stop()
    }
  }, 60_000)

  test('has its steps', () => {
    expect(steps.length).toBeGreaterThan(8)
    expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(8)
  })

  test('runs to its end without a word on stderr', () => {
    expect({ ...run, printed: run.printed.length }).toEqual({ status: 0, errors: '', printed: steps.length })
  })

  test('prints what the README says', () => {
    const [inReadme, inRun] = [numbering(), numbering()]
    const pairs = steps.map(({ command, shown }, index) => {
      const { language, text: expected } = shown ?? { language: 'text', text: '' }
      return {
        said: { command, output: parsed(language, inReadme(expected)) },
        done: { command, output: parsed(language, inRun(run.printed[index] ?? '')) },
      }
    })
    expect(pairs.map(({ done }) => done)).toEqual(pairs.map(({ said }) => said))
  })
})
