import { accessSync, constants, existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** 1 vCPU: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
export const MB_PER_CORE = 1769
/** Lambda's own period is not published; a short one keeps a burst from running through unlimited. */
const PERIOD_US = 20_000

const V1 = '/sys/fs/cgroup/cpu'
const V2 = '/sys/fs/cgroup'
const NAME = `masthead-bench-${process.pid}`

/** Processes that share a part of a core, as Lambda gives it for its memory. */
export interface CpuLimit {
  /** The process of this id has the CPU of so many MB from now on. */
  apply(pid: number, memoryMb: number): void
  remove(): void
}

/** By the kernel's control groups where this machine lets us make one, else undefined. */
export function cpuLimit(): CpuLimit | undefined {
  const isV1 = existsSync(join(V1, 'cpu.cfs_quota_us'))
  const folder = join(isV1 ? V1 : V2, NAME)
  if (!canMake(folder)) return undefined
  const set = (quotaUs: number) =>
    isV1
      ? [write(folder, 'cpu.cfs_period_us', PERIOD_US), write(folder, 'cpu.cfs_quota_us', quotaUs)]
      : write(folder, 'cpu.max', `${quotaUs} ${PERIOD_US}`)
  return {
    apply(pid, memoryMb) {
      set(Math.round((PERIOD_US * memoryMb) / MB_PER_CORE))
      write(folder, 'cgroup.procs', pid)
    },
    remove: () => rmdirSync(folder),
  }
}

const write = (folder: string, file: string, value: string | number): void => writeFileSync(join(folder, file), String(value))

function canMake(folder: string): boolean {
  try {
    mkdirSync(folder)
    accessSync(join(folder, existsSync(join(folder, 'cpu.max')) ? 'cpu.max' : 'cpu.cfs_quota_us'), constants.W_OK)
    return true
  } catch {
    return false
  }
}
