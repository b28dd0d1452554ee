import type { RecordSettings } from '../domain/index.ts'
import { type CancelTimer, type Clock, DAY_MS, delay, type ExpiryClock } from '../lib/index.ts'
import type { RecordBounds, Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import { repeatedly } from './repeatedly.ts'

const PERIOD_MS = 600_000
const PAUSE_MS = 50

export interface PruneRooms {
  readonly clock: Clock
  /** By which records end: a wrong clock must not end them all. */
  readonly expiries: ExpiryClock
  readonly log: Pick<Log, 'warn'>
  readonly writer: Pick<Writer, 'pruneRecords'>
  readonly settings: () => RecordSettings
}

/** Removes, at the start and every ten minutes, records that are older than wanted or more than there is room for: in small steps, with pauses. */
export function pruneRecords({ clock, expiries, log, writer, settings }: PruneRooms): CancelTimer {
  const step = (): Promise<boolean> => writer.pruneRecords(boundsOf(settings(), expiries.nowMs()))
  return repeatedly({ clock, log, periodMs: PERIOD_MS, failure: 'records_not_pruned' }, async (isStopped) => {
    while (!isStopped() && (await step())) await delay(clock, PAUSE_MS)
  })
}

const boundsOf = ({ keepDays, contentKeepDays, bytesMax }: RecordSettings, nowMs: number): RecordBounds => ({
  beforeMs: nowMs - keepDays * DAY_MS,
  contentBeforeMs: nowMs - contentKeepDays * DAY_MS,
  bytesMax,
})
