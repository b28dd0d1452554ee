import type { Random } from '../../lib/index.ts'
import type { EventTry } from '../../store/index.ts'

const FIRST_MS = 10_000
const LONGEST_MS = 6 * 3_600_000
/** With its waits nine to seventeen hours after the first. */
const TRIES_MAX = 14

/** What becomes of an event that failed once more, after so many tries with this one: it waits twice as long each time, less up to half by chance. */
export function nextTry(tries: number, nowMs: number, random: Random): Pick<EventTry, 'state' | 'nextAtMs'> {
  if (tries >= TRIES_MAX) return { state: 'dead', nextAtMs: null }
  const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1))
  return { state: 'waiting', nextAtMs: nowMs + Math.round(waitMs * (1 - random.fraction() / 2)) }
}
