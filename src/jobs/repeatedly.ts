import { type CancelTimer, type Clock, errorText } from '../lib/index.ts'
import type { Log } from '../telemetry/index.ts'

export interface Repetition {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly periodMs: number
  /** The event that is logged when the work fails. */
  readonly failure: string
}

/**
 * Does a work at the start and once in each period, never twice at a time: one that takes longer leaves out the periods it reaches into. A
 * failure is logged, and the next period tries again. The answer stops it: work under way learns of it by `isStopped`, and its failure is
 * nobody's trouble any more.
 */
export function repeatedly(
  { clock, log, periodMs, failure }: Repetition,
  work: (isStopped: () => boolean) => Promise<void>,
): CancelTimer {
  let isRunning = false
  let isStopped = false
  const run = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await work(() => isStopped)
    } catch (error) {
      if (!isStopped) log.warn(failure, { message: errorText(error) })
    } finally {
      isRunning = false
    }
  }
  void run()
  const cancel = clock.every(periodMs, () => void run())
  return () => {
    isStopped = true
    cancel()
  }
}
