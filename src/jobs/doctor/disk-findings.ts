import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/index.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3
const FREE_MIN = 100 * MB
const FREE_LOW = GB
const SYNCS = 9
const SYNC_BYTES = 4096
const SLOW_US = 20_000
/** The writer refuses requests when something waits for the disk for longer. */
const STUCK_US = 1_000_000
const US_PER_MS = 1000

const about = (subject: string) => ({ check: 'disk', subject }) as const

/** How much room there is, and how long the disk takes to have written: an answer waits for one of those. Rejects when nothing can be written. */
export async function diskFindings(dataFolder: string, clock: Clock): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(dataFolder)
  const syncs = await syncsUs(dataFolder, clock)
  return [spaceFinding(bavail * bsize), syncFinding(syncs)]
}

function spaceFinding(bytes: number): Finding {
  const free = `${bytes >= GB ? `${(bytes / GB).toFixed(1)} GB` : `${Math.floor(bytes / MB)} MB`} free`
  const advice =
    'Make room: when the disk is full, every request is refused with 503. records.db may be deleted while no server runs.'
  if (bytes < FREE_MIN) return fail(about('space'), free, advice)
  return bytes < FREE_LOW ? warn(about('space'), free, advice) : ok(about('space'), free)
}

function syncFinding(syncs: readonly number[]): Finding {
  const sorted = [...syncs].sort((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  const longest = sorted.at(-1) ?? 0
  const message = `a write is on disk after ${inMs(median)} ms (the slowest of ${syncs.length}: ${inMs(longest)} ms)`
  const advice =
    'Every answer waits for one such write: put the data folder on a local SSD, not on a network drive, and see what else writes there.'
  if (median >= STUCK_US) return fail(about('sync'), message, advice)
  return median >= SLOW_US ? warn(about('sync'), message, advice) : ok(about('sync'), message)
}

const inMs = (us: number): string => (us / US_PER_MS).toFixed(1)

/** Appends to a file of its own and waits for the disk, as the writer does; µs each. */
async function syncsUs(dataFolder: string, clock: Clock): Promise<number[]> {
  const folder = await mkdtemp(join(dataFolder, 'doctor-'))
  try {
    const file = await open(join(folder, 'sync'), 'w', 0o600)
    try {
      const block = new Uint8Array(SYNC_BYTES)
      const took: number[] = []
      for (let number = 0; number < SYNCS; number++) {
        const startedUs = clock.monotonicUs()
        await file.write(block)
        await file.sync()
        took.push(clock.monotonicUs() - startedUs)
      }
      return took
    } finally {
      await file.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
