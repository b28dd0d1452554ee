import type { RecordSettings } from '../domain/index.ts'
import { type CancelTimer, type Clock, delay, errorText } from '../lib/index.ts'
import type { RecordBounds, Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'

const PERIOD_MS = 600_000
const PAUSE_MS = 50
const DAY_MS = 86_400_000

export interface PruneRooms {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly writer: Pick<Writer, 'pruneRecords'>
  readonly settings: () => RecordSettings
}

/** Removes, at the start and every ten minutes, records that are older than wanted or more than there is room for: in small steps, with pauses. */
export function pruneRecords(rooms: PruneRooms): CancelTimer {
  let isOver = false
  let isRunning = false
  const prune = (): void => {
    if (isRunning) return
    isRunning = true
    void pruneAll(rooms, () => isOver).finally(() => {
      isRunning = false
    })
  }
  prune()
  const cancel = rooms.clock.every(PERIOD_MS, prune)
  return () => {
    isOver = true
    cancel()
  }
}

async function pruneAll({ clock, log, writer, settings }: PruneRooms, isOver: () => boolean): Promise<void> {
  try {
    while (!isOver() && (await writer.pruneRecords(boundsOf(settings(), clock.wallMs())))) await delay(clock, PAUSE_MS)
  } catch (error) {
    if (!isOver()) log.warn('records_not_pruned', { message: errorText(error) })
  }
}

const boundsOf = ({ keepDays, contentKeepDays, bytesMax }: RecordSettings, nowMs: number): RecordBounds => ({
  beforeMs: nowMs - keepDays * DAY_MS,
  contentBeforeMs: nowMs - contentKeepDays * DAY_MS,
  bytesMax,
})
