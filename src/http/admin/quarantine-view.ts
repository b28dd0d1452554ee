import type { Exclusion } from '../../health/index.ts'

/** Why a backend is out, for operators. */
export const quarantineView = ({ cause, reason, by, sinceMs, untilMs }: Exclusion): object => ({
  cause,
  reason,
  by,
  since_ms: sinceMs,
  until_ms: untilMs,
})
