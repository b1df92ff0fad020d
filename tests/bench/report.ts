import { MB_PER_CORE } from './limit.ts'
import { type Sample, type Subject, WARM_UP } from './measure.ts'
import { median, quantile } from './statistics.ts'
import { EMPTY, PEERS } from './subjects.ts'

/** What a subject was like over all rounds: medians, and medians of its ratios to the empty handler of the same round. */
export interface Result {
  name: string
  memoryMb: number
  bytes: number
  gzipBytes: number
  init: number
  first: number
  cold: number
  initRatio: number
  coldRatio: number
  /** cold, as a part of the first peer's in the same round */
  ofPeer: number
  warmP50: number
  warmP99: number
  /** CPU milliseconds of a warm event beyond the empty handler's */
  cpu: number
  memory: number
  memoryRatio: number
  peak: number
}

export interface Run {
  date: string
  machine: string
  rounds: number
  /** the machine's load average over the rounds */
  load: number
  /** whether the first event had the CPU of its function's memory */
  limited: boolean
  /** whether functions spoke TLS to the table */
  encrypted: boolean
  results: Result[]
}

/** A limit of performance.md, where it applies and what it is compared with. */
interface Budget {
  what: string
  limit: number
  of: keyof Result
  applies(result: Result): boolean
}

/** What hashes passwords has a whole core. */
const hashes = ({ memoryMb }: Result): boolean => memoryMb >= MB_PER_CORE

const BUDGETS: Budget[] = [
  { what: 'INIT with warm-up, x empty', limit: 2.9, of: 'initRatio', applies: () => true },
  { what: 'cold total at 512 MB, x empty', limit: 3.6, of: 'coldRatio', applies: (result) => !hashes(result) },
  { what: `cold total at 512 MB, of the ${PEERS[0]}`, limit: 0.62, of: 'ofPeer', applies: (result) => !hashes(result) },
  { what: 'first event at 512 MB, ms', limit: 55, of: 'first', applies: (result) => !hashes(result) },
  { what: 'warm CPU beyond empty, ms', limit: 2.6, of: 'cpu', applies: (result) => !hashes(result) },
  { what: 'memory after two events, x empty', limit: 1.45, of: 'memoryRatio', applies: () => true },
]

export function resultsOf(subjects: Subject[], rounds: Map<string, Sample>[]): Result[] {
  const of = (name: string, pick: (sample: Sample) => number) =>
    rounds.flatMap((round) => (round.has(name) ? [pick(round.get(name) as Sample)] : []))
  const ratioTo = (other: string, name: string, pick: (sample: Sample) => number) =>
    median(rounds.map((round) => pick(round.get(name) as Sample) / pick(round.get(other) as Sample)))
  const ratio = (name: string, pick: (sample: Sample) => number) => ratioTo(EMPTY, name, pick)
  const warmOf = (name: string) => rounds.flatMap((round) => round.get(name)?.warm ?? [])
  const cpuOf = (name: string) => median(warmOf(name).map(({ cpu }) => cpu))
  return subjects.map(({ name, memoryMb, bytes, gzipBytes }) => {
    const warm = warmOf(name)
    const times = warm.flatMap((each) => each.times)
    return {
      name,
      memoryMb,
      bytes,
      gzipBytes,
      init: median(of(name, ({ init }) => init)),
      first: median(of(name, ({ first }) => first)),
      cold: median(of(name, ({ cold }) => cold)),
      initRatio: ratio(name, ({ init }) => init),
      coldRatio: ratio(name, ({ cold }) => cold),
      ofPeer: ratioTo(PEERS[0] ?? EMPTY, name, ({ cold }) => cold),
      warmP50: median(times),
      warmP99: quantile(times, 0.99),
      cpu: cpuOf(name) - cpuOf(EMPTY),
      memory: median(of(name, ({ memory }) => memory)),
      memoryRatio: ratio(name, ({ memory }) => memory),
      peak: Math.max(...warm.map(({ peak }) => peak)),
    }
  })
}

const isOurs = ({ name }: Result): boolean => name !== EMPTY && !PEERS.includes(name)

/** A sentence per budget that is not kept, the worst function of each named. */
export function exceeded({ results }: Run): string[] {
  const ours = results.filter(isOurs)
  return BUDGETS.flatMap(({ what, limit, of, applies }) => {
    const share = (result: Result) => (result[of] as number) / limit
    const over = ours.filter((result) => applies(result) && share(result) > 1).toSorted((a, b) => share(b) - share(a))
    const [worst] = over
    if (!worst) return []
    return [`${what}: ${worst.name} has ${(worst[of] as number).toFixed(2)}, the budget is ${limit} (${over.length} over)`]
  })
}

const COLUMNS: [head: string, cell: (result: Result) => string][] = [
  ['', ({ name }) => name],
  ['MB', ({ memoryMb }) => String(memoryMb)],
  ['KB', ({ bytes }) => (bytes / 1000).toFixed(0)],
  ['gzip', ({ gzipBytes }) => (gzipBytes / 1000).toFixed(0)],
  ['INIT', ({ init, initRatio }) => `${init.toFixed(0)} (${initRatio.toFixed(1)}x)`],
  ['first', ({ first }) => first.toFixed(1)],
  ['cold', ({ cold, coldRatio }) => `${cold.toFixed(0)} (${coldRatio.toFixed(1)}x)`],
  ['warm p50', ({ warmP50 }) => warmP50.toFixed(1)],
  ['p99', ({ warmP99 }) => warmP99.toFixed(1)],
  ['CPU', ({ cpu }) => cpu.toFixed(1)],
  ['memory', ({ memory, memoryRatio }) => `${memory.toFixed(0)} (${memoryRatio.toFixed(2)}x)`],
  ['peak', ({ peak }) => peak.toFixed(0)],
]

/** Markdown: milliseconds and MB, the slowest cold start first. */
export function tableOf({ results }: Run): string {
  const rows = results.toSorted((a, b) => b.cold - a.cold).map((result) => COLUMNS.map(([, cell]) => cell(result)))
  return toMarkdown(
    COLUMNS.map(([head]) => head),
    rows,
  )
}

/** What tests/bench/RESULTS.md says of a run. */
export const pageOf = (run: Run): string => `# What was measured

${run.date}, on ${run.machine}; ${run.rounds} rounds, all functions in each, the order turned by one each time
(\`npm run bench -- --keep\`); the machine's load was ${run.load.toFixed(1)}, of which the bench itself makes about 1. Milliseconds and MB; (x) is the median of the ratios to the empty handler of the same round.
${
  run.limited
    ? 'From the end of INIT on a process had the CPU that its memory buys on Lambda: 1769 MB are a core.'
    : 'This machine lets no CPU be limited: the first event ran on a whole core.'
}
${run.encrypted ? 'Functions spoke TLS 1.3 to the engine.' : 'Without openssl here, functions spoke to the engine without TLS.'}
Budgets are for 512 MB, which is less than functions have when they are deployed (serverless.yml). INIT ends with the first question
for an event. CPU is that of one warm event beyond the empty handler's, after ${WARM_UP.events} others, or ${WARM_UP.ms / 1000} s of them.

${tableOf(run)}

${exceeded(run).join('\n') || 'All budgets are kept.'}
`

/** What has become of each function between two runs, by their ratios: machines and moments differ. */
export function comparison(before: Run, after: Run): string {
  const rows = after.results.flatMap((now) => {
    const then = before.results.find(({ name }) => name === now.name)
    if (!then) return []
    const change = (of: 'initRatio' | 'coldRatio' | 'memoryRatio') =>
      `${then[of].toFixed(2)} -> ${now[of].toFixed(2)} (${percent(now[of] / then[of])})`
    return [
      [
        now.name,
        change('initRatio'),
        change('coldRatio'),
        `${then.cpu.toFixed(1)} -> ${now.cpu.toFixed(1)} ms`,
        change('memoryRatio'),
      ],
    ]
  })
  return toMarkdown(['', 'INIT, x empty', 'cold, x empty', 'CPU', 'memory, x empty'], rows)
}

const percent = (ratio: number): string => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(0)} %`

/** A table whose columns line up in a terminal too; all but the first are numbers. */
export function toMarkdown(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, n) => Math.max(3, head.length, ...rows.map((row) => (row[n] ?? '').length)))
  const line = (cells: string[]) =>
    `| ${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, n) => (n === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(heads), line(rule), ...rows.map(line)].join('\n')
}
