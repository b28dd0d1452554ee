import type { CredentialCause, OperatorCredential, QuarantineRow } from '../domain/index.ts'
import { credentialMark } from './credential-mark.ts'

/** Why a backend is out now: of all its causes the one that lasts longest. */
export interface Exclusion {
  readonly cause: 'operator' | 'failures' | 'throttle' | 'credentials'
  readonly reason: string
  /** Who set it; null for what the gateway found out. */
  readonly by: string | null
  readonly sinceMs: number
  /** Null: until it is cleared. */
  readonly untilMs: number | null
}

/** Whether a backend may be sent requests. */
export type Standing =
  | { readonly kind: 'in' }
  /** Its time is over, and nothing has proved it yet: one request at a time. */
  | { readonly kind: 'half_open' }
  /** `onlyFailures`: nobody forbids to try it, so it may be the least bad. */
  | { readonly kind: 'out'; readonly exclusion: Exclusion; readonly onlyFailures: boolean }

/** What of a backend's row holds at this time; null when the backend may be used. */
export function exclusionOf(
  row: QuarantineRow | undefined,
  credentials: readonly OperatorCredential[],
  nowMs: number,
): Exclusion | null {
  const standing = standingOf(row, credentials, nowMs)
  return standing.kind === 'out' ? standing.exclusion : null
}

/**
 * Whether a backend may be sent requests at this time, by its row. `credentials` are those of its provider: when each of them is in trouble
 * here, the backend is out until the first of them may be tried.
 */
export function standingOf(
  row: QuarantineRow | undefined,
  credentials: readonly OperatorCredential[],
  nowMs: number,
): Standing {
  if (row === undefined) return IN
  const denied = deniedOf(row, credentials)
  const out = causesOf(row, denied).filter(({ untilMs }) => untilMs === null || untilMs > nowMs)
  if (out.length > 0) return { kind: 'out', exclusion: out.reduce(longer), onlyFailures: out.every(isFailures) }
  return row.failures !== null || row.throttle !== null || denied !== null ? HALF_OPEN : IN
}

/** The cause of a credential; undefined while nothing is known against its secret. */
export function causeOfCredential(row: QuarantineRow, credential: OperatorCredential): CredentialCause | undefined {
  return row.credentials.find(
    (cause) => cause.credential === credential.id && cause.mark === credentialMark(credential),
  )
}

const IN: Standing = { kind: 'in' }
const HALF_OPEN: Standing = { kind: 'half_open' }

/** Of credentials that are all in trouble, the one that may be tried first. */
function deniedOf(row: QuarantineRow, credentials: readonly OperatorCredential[]): CredentialCause | null {
  if (row.credentials.length === 0 || credentials.length === 0) return null
  const causes = credentials.flatMap((credential) => causeOfCredential(row, credential) ?? [])
  if (causes.length < credentials.length) return null
  return causes.reduce((one, other) => (other.untilMs < one.untilMs ? other : one))
}

function causesOf({ operator, failures, throttle }: QuarantineRow, denied: CredentialCause | null): Exclusion[] {
  const causes: Exclusion[] = []
  if (operator !== null) causes.push({ cause: 'operator', ...operator })
  if (failures !== null) causes.push(found('failures', failures))
  if (throttle !== null) causes.push(found('throttle', throttle))
  if (denied !== null) causes.push(found('credentials', denied))
  return causes
}

interface Found {
  readonly evidence: string
  readonly sinceMs: number
  readonly untilMs: number
}

const found = (cause: Exclusion['cause'], { evidence, sinceMs, untilMs }: Found): Exclusion => ({
  cause,
  reason: evidence,
  by: null,
  sinceMs,
  untilMs,
})

const isFailures = ({ cause }: Exclusion): boolean => cause === 'failures'

const longer = (one: Exclusion, other: Exclusion): Exclusion =>
  one.untilMs === null || (other.untilMs !== null && other.untilMs <= one.untilMs) ? one : other
