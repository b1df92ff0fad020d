import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type RuntimeApi, startRuntimeApi } from '#tools/packaged/runtime-api.ts'
import { launch } from '#tools/packaged/sandbox.ts'
import type { CpuLimit } from './limit.ts'

/** One thing to measure: a handler in a folder. */
export interface Subject {
  name: string
  /** LAMBDA_TASK_ROOT */
  folder: string
  /** as a template names it, such as `functions/posts/create.handler` */
  handler: string
  memoryMb: number
  bytes: number
  gzipBytes: number
  environment: Record<string, string>
  /** Makes so many events that succeed one after the other. */
  events(count: number): Promise<object[]>
}

/** What one process of a subject was like; milliseconds and megabytes. */
export interface Sample {
  /** from the start of the process to its first question for an event */
  init: number
  /** the first event, on the CPU that the function's memory buys */
  first: number
  cold: number
  /** after two events */
  memory: number
  warm?: Warm
}

/** What later events were like, when V8 has compiled what is hot. */
export interface Warm {
  /** each of them */
  times: number[]
  /** CPU time of one of them */
  cpu: number
  peak: number
}

const COLD_EVENTS = 2
/**
 * A sandbox lives for hours, and V8 compiles what is hot for long: a read takes 2.5 ms of CPU after 50 events, 1.8 after 300 and
 * 1.6 after 1,000. A hash takes so long that fewer must do.
 */
export const WARM_UP = { events: 1000, ms: 5_000 }
const WARM = { events: 200, ms: 2_000 }

/** Starts a subject, sends it events one after the other, many where `isWarm`, and ends it. All of them have to succeed. */
export async function measure(subject: Subject, limit: CpuLimit | undefined, isWarm: boolean): Promise<Sample> {
  const events = await subject.events(COLD_EVENTS + (isWarm ? WARM_UP.events + WARM.events : 0))
  const api = await startRuntimeApi(subject.name)
  const begun = performance.now()
  const child = launch({ ...subject, memorySize: subject.memoryMb }, subject.folder, {
    ...subject.environment,
    AWS_LAMBDA_RUNTIME_API: api.address,
  })
  const pid = child.pid as number
  const ended = once(child, 'exit').then(() => api.fail(new Error(`${subject.name} ended`)))
  try {
    await api.initialised
    const init = performance.now() - begun
    limit?.apply(pid, subject.memoryMb)
    const first = await timed(api, subject, events)
    await timed(api, subject, events)
    const memory = statusOf(pid, 'VmRSS')
    limit?.apply(pid, UNLIMITED_MB)
    const cold = { init, first, cold: init + first, memory }
    return isWarm ? { ...cold, warm: await measureWarm(api, pid, subject, events) } : cold
  } finally {
    child.kill('SIGKILL')
    await ended
    api.close()
  }
}

async function measureWarm(api: RuntimeApi, pid: number, subject: Subject, events: object[]): Promise<Warm> {
  await sendMany(api, subject, events, WARM_UP)
  const busy = cpuOf(pid)
  const times = await sendMany(api, subject, events, WARM)
  return { times, cpu: (cpuOf(pid) - busy) / times.length, peak: statusOf(pid, 'VmHWM') }
}

/** Sends so many events, or fewer within so many milliseconds, and says how long each took. */
async function sendMany(api: RuntimeApi, subject: Subject, events: object[], most: typeof WARM): Promise<number[]> {
  const begun = performance.now()
  const times: number[] = []
  while (times.length < most.events && performance.now() - begun < most.ms) times.push(await timed(api, subject, events))
  return times
}

const TIMEOUT_MS = 20_000
/** More than any machine has. */
const UNLIMITED_MB = 1_000_000

/** Sends the next of the events, which succeeds, and says how many milliseconds it took. */
async function timed(api: RuntimeApi, { name }: Subject, events: object[]): Promise<number> {
  const event = events.pop()
  const begun = performance.now()
  const { statusCode, body } = (await api.invoke(event, TIMEOUT_MS)) as { statusCode: number; body?: string }
  const ms = performance.now() - begun
  if (statusCode >= 300) throw new Error(`${name} answered ${statusCode}: ${body}`)
  return ms
}

/** A field of a process in MB: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function statusOf(pid: number, field: string): number {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

/** The milliseconds that a process's threads have run. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6
}
