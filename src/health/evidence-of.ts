import type { Outcome } from '../domain/index.ts'

/** In words for operators; no words of the provider's, which may quote a caller. */
export function evidenceOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'unsent':
    case 'failed':
    case 'broken':
      return `${outcome.kind} (${outcome.reason}): ${outcome.message}`
    case 'throttled':
    case 'denied':
    case 'refused':
    case 'too_long':
      return `${outcome.kind}: status ${outcome.error.status}${outcome.error.code === null ? '' : `, ${outcome.error.code.slice(0, 60)}`}`
    default:
      return outcome.kind
  }
}

/** A 400 that names an account fault; 402 and 403 may be the request's own. */
export const DENIED_FOR_CERTAIN: ReadonlySet<number> = new Set([401, 400])
