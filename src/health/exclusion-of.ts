import type { QuarantineRow } from '../domain/index.ts'

/** Why a backend is out now: of all its causes the one that lasts longest. */
export interface Exclusion {
  readonly cause: 'operator'
  readonly reason: string
  /** Who set it. */
  readonly by: string
  readonly sinceMs: number
  /** Null: until it is cleared. */
  readonly untilMs: number | null
}

/** What of a backend's row holds at this time; null when the backend may be used. */
export function exclusionOf(row: QuarantineRow | undefined, nowMs: number): Exclusion | null {
  const operator = row?.operator ?? null
  if (operator === null || (operator.untilMs !== null && operator.untilMs <= nowMs)) return null
  return { cause: 'operator', ...operator }
}
