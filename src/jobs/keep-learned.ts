import type { StickySettings } from '../domain/index.ts'
import type { Health } from '../health/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'

export interface KeepingRooms {
  readonly clock: Clock
  readonly health: Pick<Health, 'nowMs' | 'sessions' | 'takeLearned'>
  readonly writer: Pick<Writer, 'learned'>
  readonly settings: () => StickySettings
}

const STEP_MS = 1000
const OBSERVED_STEPS = 30 // each offer is written at most that many steps after it was tried, in one of them
const PRUNE_STEPS = 300
const OFFERS_MAX = 50 // at once: what is written in one step is small
const SESSIONS_MAX = 500

/**
 * Brings to disk, in small steps, what was learned of offers (every 30 s) and sessions (every second), and takes from it what has expired. The
 * answer stops it and brings all that is left there.
 */
export function keepLearned({ clock, health, writer, settings }: KeepingRooms): () => void {
  let step = 0
  let isObservedDue = false

  function keep(offersMax: number, sessionsMax: number, isPruning: boolean): number {
    const learned = health.takeLearned(offersMax, sessionsMax)
    const nowMs = health.nowMs()
    const expired = isPruning ? { observedMs: nowMs, stickyMs: nowMs - settings().lifeMs } : null
    const count = learned.forgotten.length + learned.observed.length + learned.sticky.length
    if (count > 0 || isPruning) writer.learned({ ...learned, expired })
    return learned.observed.length
  }

  const cancel = clock.every(STEP_MS, () => {
    step++
    isObservedDue ||= step % OBSERVED_STEPS === 0
    const isPruning = step % PRUNE_STEPS === 0
    if (isPruning) health.sessions.prune()
    const written = keep(isObservedDue ? OFFERS_MAX : 0, SESSIONS_MAX, isPruning)
    isObservedDue &&= written > 0
  })
  return () => {
    cancel()
    keep(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, false)
  }
}
