import type { CancelTimer, Clock, ExpiryClock } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import { repeatedly } from './repeatedly.ts'

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
  return repeatedly({ clock, log, periodMs: PERIOD_MS, failure: 'stored_not_pruned' }, async (isStopped) => {
    while (!isStopped() && (await writer.pruneStored(expiries.nowMs())) > 0);
  })
}
