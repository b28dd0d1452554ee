import type { CancelTimer, Clock, ExpiryClock } from '../lib/index.ts'
import { DAY_MS } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'

const PERIOD_MS = 3_600_000
const KEPT_MS = DAY_MS

/** Forgets, at the start and once an hour, the answers kept for idempotency keys that are a day old. */
export function forgetAnswers({
  clock,
  expiries,
  log,
  writer,
}: {
  readonly clock: Clock
  readonly expiries: ExpiryClock
  readonly log: Pick<Log, 'warn'>
  readonly writer: Pick<Writer, 'forgetAnswers'>
}): CancelTimer {
  const forget = (): void => {
    writer.forgetAnswers(expiries.nowMs() - KEPT_MS).catch((error: Error) => {
      log.warn('answers_not_forgotten', { message: error.message }) // the next hour tries again
    })
  }
  forget()
  return clock.every(PERIOD_MS, forget)
}
