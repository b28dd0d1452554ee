import type { CredentialCause, FailureCause, QuarantineRow, ThrottleCause } from '../../domain/index.ts'
import type { Cooling, Exclusion } from '../../health/index.ts'
import type { AdminDeps } from './deps.ts'

/** Why a backend is out, for operators. */
export const quarantineView = ({ cause, reason, by, sinceMs, untilMs }: Exclusion): object => ({
  cause,
  reason,
  by,
  since_ms: sinceMs,
  until_ms: untilMs,
})

/** All that speaks against a backend, each cause by itself; null when nothing does. */
export function backendView({ health, catalogue }: AdminDeps, backend: string): object | null {
  const row = health.rows().find((one) => one.backend === backend)
  const coolings = health.coolingsAt(backend)
  if (row === undefined && coolings.length === 0) return null
  const exclusion = health.exclusion(backend)
  const causes = [...(row === undefined ? [] : causesOf(row)), ...coolings.map(coolingView)]
  return {
    backend,
    configured: catalogue().backends.has(backend),
    state: health.stateOf(backend),
    ...(exclusion === null ? NOT_OUT : quarantineView(exclusion)),
    causes,
  }
}

/** As `quarantineView`, of a backend that is not out. */
export const NOT_OUT = { cause: null, reason: null, by: null, since_ms: null, until_ms: null }

function causesOf({ operator, failures, throttle, credentials }: QuarantineRow): object[] {
  return [
    ...(operator === null ? [] : [{ ...NOTHING, ...quarantineView({ cause: 'operator', ...operator }) }]),
    ...(failures === null ? [] : [failuresView(failures)]),
    ...(throttle === null ? [] : [throttleView(throttle)]),
    ...credentials.map(credentialView),
  ]
}

/** Every cause has the same fields. */
const NOTHING = {
  by: null,
  credential: null,
  account: null,
  source: null,
  backoff_ms: null,
  count: null,
  streak: null,
  last_status: null,
}

const failuresView = ({ count, streak, lastStatus, ...cause }: FailureCause): object => ({
  ...NOTHING,
  cause: 'failures',
  ...timesOf(cause),
  count,
  streak,
  last_status: lastStatus,
})

const throttleView = ({ source, ...cause }: ThrottleCause): object => ({
  ...NOTHING,
  cause: 'throttle',
  ...timesOf(cause),
  source,
})

const credentialView = ({ credential, kind, source, lastStatus, ...cause }: CredentialCause): object => ({
  ...NOTHING,
  cause: `credential_${kind}`,
  ...timesOf(cause),
  credential,
  source,
  last_status: lastStatus,
})

const coolingView = ({ accountId, ...cooling }: Cooling & { readonly accountId: string }): object => ({
  ...NOTHING,
  cause: 'cooling',
  ...timesOf(cooling),
  account: accountId,
})

function timesOf({ evidence, sinceMs, untilMs, backoffMs }: Cooling): object {
  return { reason: evidence, since_ms: sinceMs, until_ms: untilMs, backoff_ms: backoffMs }
}
