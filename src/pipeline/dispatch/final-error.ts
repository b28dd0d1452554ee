import {
  type AttemptRecord,
  type ErrorDetails,
  GatewayError,
  hadNoRoom,
  lacksIt,
  type Outcome,
  type ReplySettings,
} from '../../domain/index.ts'

const NO_CAPACITY_RETRY_MS = 1000

/** What is known when nothing is left to try. */
export interface Exhausted {
  /** The model id that the caller sees. */
  readonly model: string
  /** In order; those of `attempts`. */
  readonly outcomes: readonly Outcome[]
  readonly attempts: readonly AttemptRecord[]
  /** The account's own credentials were all there was to try. */
  readonly isOwn: boolean
  /** Some were not tried, because no more attempts may be made. */
  readonly hasUntried: boolean
  /** All that was left to try was full, for as long as the request may wait. */
  readonly isFull: boolean
  /** How long none that is left may be sent anything, because they are quarantined; null when it is not that. */
  readonly outMs: number | null
  /** Other backends of it were left out, because of where they are. */
  readonly staysHome: boolean
  /** A backend that failed had the whole request. */
  readonly mayHaveRun: boolean
  readonly settings: Pick<ReplySettings, 'hideBackends' | 'noRetryAfterSend'>
}

/**
 * What the caller gets when no attempt served: its own fault with the provider's words; else 429, 502, 503, 504 with the list of attempts
 * (no bodies, no secrets) and the shortest wait that a provider named. Never the provider's 401. A 5xx after a request was sent whole is
 * marked as not worth repeating blindly.
 */
export function finalError(exhausted: Exhausted): GatewayError {
  const { outcomes, settings } = exhausted
  const fault = ownFault(exhausted)
  if (fault !== null) return refusal(fault)
  const others = outcomes.filter((outcome) => outcome.kind !== 'too_long' && !lacksIt(outcome))
  const isDenied = others.every(({ kind }) => kind === 'denied')
  const details: ErrorDetails = { extra: { attempts: listed(exhausted) }, ...waitOf(others) }
  if (others.length === 0 || (isDenied && exhausted.isFull)) {
    // No credential serves where it was tried; another backend still may, so this can be repeated.
    if (exhausted.outMs !== null) return quarantined(exhausted, exhausted.outMs, details)
    return noCapacity(exhausted, outcomes.length > 0 ? details : {})
  }
  const sent = others.filter(({ kind }) => kind !== 'unsent')
  if (sent.length === 0 && others.every(hadNoRoom))
    return new GatewayError('no_capacity', 'The gateway has no room for another connection. Please try again.', {
      ...details,
      retryAfterMs: NO_CAPACITY_RETRY_MS,
    })
  if (sent.length === 0)
    return new GatewayError(
      'provider_unreachable',
      'No backend of this model could be reached. Please try again.',
      details,
    )
  if (sent.every(({ kind }) => kind === 'throttled'))
    return new GatewayError(
      'rate_limit_exceeded',
      'Every backend of this model is limiting the rate of requests. Please try again later.',
      details,
    )
  if (isDenied && !exhausted.hasUntried)
    return new GatewayError(
      'upstream_credentials_rejected',
      exhausted.isOwn
        ? 'The provider rejected the own credential of your account. It must be changed before it is used again.'
        : "The provider rejected the gateway's credential. Ask the operator of this gateway.",
      details,
    )
  const once = exhausted.mayHaveRun && settings.noRetryAfterSend ? { retryable: false } : {}
  const last = others.findLast((outcome) => outcome.kind === 'failed')
  if (last?.kind === 'failed' && last.reason.endsWith('_timeout'))
    return new GatewayError('provider_timeout', 'The provider did not answer in time.', { ...details, ...once })
  return new GatewayError('provider_failed', 'The provider failed to answer this request.', { ...details, ...once })
}

type Fault = Extract<Outcome, { kind: 'refused' | 'too_long' }>

/** A prompt too long is the caller's fault where no candidate that takes more is left; what a provider has not, where no other could tell more. */
function ownFault({ outcomes, isFull }: Exhausted): Fault | null {
  const faults = outcomes.filter((outcome) => outcome.kind === 'refused' || outcome.kind === 'too_long')
  const refused = faults.find((outcome) => outcome.kind === 'refused' && !lacksIt(outcome))
  if (refused !== undefined) return refused
  if (isFull) return null
  const last = outcomes.at(-1)
  if (last?.kind === 'too_long') return last
  if (faults.length < outcomes.length) return null
  return faults.find(({ kind }) => kind === 'too_long') ?? faults[0] ?? null
}

function listed({ attempts, settings }: Exhausted): object[] {
  return attempts.map(({ backend, outcome, status, reason }) => ({
    ...(settings.hideBackends ? {} : { backend }),
    outcome,
    status,
    reason,
  }))
}

/** The refusal when every backend of the plan was full for as long as the request may wait. */
const noCapacity = ({ model, staysHome }: Exhausted, details: ErrorDetails): GatewayError => {
  const where = staysHome ? ' in the regions that this key may use' : ''
  return new GatewayError(
    'no_capacity',
    `All backends of the model '${model}'${where} are at capacity. Please try again.`,
    {
      ...details,
      retryAfterMs: NO_CAPACITY_RETRY_MS,
    },
  )
}

/** The refusal when the backends of the plan were taken out after it was made, or have their one trial. */
const quarantined = ({ model, outcomes }: Exhausted, outMs: number, details: ErrorDetails): GatewayError =>
  new GatewayError('no_backend', `No backend can serve the model '${model}' now: the backend is quarantined.`, {
    ...(outcomes.length > 0 ? details : {}),
    retryAfterMs: Math.max(1, outMs),
  })

function waitOf(outcomes: readonly Outcome[]): Pick<ErrorDetails, 'retryAfterMs'> {
  const waits = outcomes.flatMap((outcome) =>
    outcome.kind === 'throttled' && outcome.retryAfterMs !== null ? [outcome.retryAfterMs] : [],
  )
  return waits.length === 0 ? {} : { retryAfterMs: Math.min(...waits) }
}

function refusal({ error }: Fault): GatewayError {
  return new GatewayError('provider_refused', error.message, {
    status: error.status,
    publicType: error.type ?? 'invalid_request_error',
    publicCode: error.code,
    ...(error.param === null ? {} : { param: error.param }),
  })
}
