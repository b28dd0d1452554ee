import { type CancelTimer, type Clock, type ExpiryClock, errorText } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'

const PERIOD_MS = 3_600_000

/** Forgets, at the start and once an hour, where things are kept that their providers have forgotten: in small steps. */
export function pruneStored({
  clock,
  expiries,
  log,
  writer,
}: {
  readonly clock: Clock
  readonly expiries: ExpiryClock
  readonly log: Pick<Log, 'warn'>
  readonly writer: Pick<Writer, 'pruneStored'>
}): CancelTimer {
  let isOver = false
  const prune = async (): Promise<void> => {
    try {
      while (!isOver && (await writer.pruneStored(expiries.nowMs())) > 0);
    } catch (error) {
      if (!isOver) log.warn('stored_not_pruned', { message: errorText(error) }) // the next hour tries again
    }
  }
  void prune()
  const cancel = clock.every(PERIOD_MS, () => void prune())
  return () => {
    isOver = true
    cancel()
  }
}
