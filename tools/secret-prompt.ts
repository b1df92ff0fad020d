import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Problem } from '#tools/problem.ts'

/** Asks for a line on the terminal and does not show what is typed. Throws a Problem when there is no terminal, or Ctrl-C. */
export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw new Problem('There is no terminal to ask on: give the password in ADMIN_PASSWORD.')
  process.stderr.write(question)
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: mute, terminal: true })
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  process.stderr.write('\n')
  if (line === undefined) throw new Problem('No password was given.')
  return line
}
