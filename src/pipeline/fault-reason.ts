import type { CredentialFault, Skip } from '../domain/index.ts'

/** Why an own credential is passed over. What its provider said is for operators. */
export function faultReason({
  cause,
  reason,
  sinceMs,
  untilMs,
}: CredentialFault): Pick<Skip, 'reason' | 'evidence' | 'untilMs'> {
  const end = untilMs === null ? 'until it is changed' : `until ${isoTime(untilMs)}`
  const evidence = `${cause} since ${isoTime(sinceMs)} ${end}${reason === null ? '' : `: ${reason}`}`
  const why = { reason: 'the own credential of the account is in trouble', evidence }
  return untilMs === null ? why : { ...why, untilMs }
}

/** A moment as evidence tells it. */
export const isoTime = (ms: number): string => new Date(ms).toISOString()
