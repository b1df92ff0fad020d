import { readFileSync } from 'node:fs'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The text under a heading of the second level. Throws when there is none. */
export function section(title: string): string {
  const found = README.split(/^## /m).find((part) => part.startsWith(`${title}\n`))
  if (!found) throw new Error(`README.md has no section "${title}"`)
  return found.slice(title.length + 1)
}

/** The rows of a section's table below its head, each as its cells. */
export const rowsOf = (title: string): string[][] =>
  section(title)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map(cellsOf)

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

export interface Block {
  language: string
  text: string
}

/** The fenced blocks of a section, in order. */
export const blocksOf = (title: string): Block[] =>
  [...section(title).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }))

/** Everything in the README that is written as code within a line. */
export const inlineCode = (): string[] =>
  [...README.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
