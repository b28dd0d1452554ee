import { type AttemptRecord, GatewayError, type Outcome } from '../../domain/index.ts'

const NO_CAPACITY_RETRY_MS = 1000

/**
 * What the caller gets when no attempt served: its own fault with the provider's words; else 429, 502, 504 with the list of attempts
 * (no bodies, no secrets). Never the provider's 401. A 5xx after a request was sent whole is marked as not worth repeating blindly.
 */
export function finalError(outcomes: readonly Outcome[], attempts: readonly AttemptRecord[]): GatewayError {
  const refused = outcomes.find((outcome) => outcome.kind === 'refused')
  if (refused !== undefined) return refusal(refused)
  const extra = {
    attempts: attempts.map(({ backend, outcome, status, reason }) => ({ backend, outcome, status, reason })),
  }
  const ran = outcomes.some((outcome) => outcome.kind === 'failed')
  const throttled = outcomes.filter((outcome) => outcome.kind === 'throttled')
  if (throttled.length === outcomes.length) {
    const hints = throttled.flatMap(({ retryAfterMs }) => (retryAfterMs === null ? [] : [retryAfterMs]))
    const wait = hints.length === 0 ? {} : { retryAfterMs: Math.min(...hints) }
    return new GatewayError(
      'rate_limit_exceeded',
      'Every backend of this model is limiting the rate of requests. Please try again later.',
      { extra, ...wait },
    )
  }
  if (outcomes.every((outcome) => outcome.kind === 'denied')) {
    return new GatewayError(
      'upstream_credentials_rejected',
      "The provider rejected the gateway's credential. Ask the operator of this gateway.",
      { extra },
    )
  }
  if (outcomes.every((outcome) => outcome.kind === 'unsent')) {
    return new GatewayError('provider_unreachable', 'No backend of this model could be reached. Please try again.', {
      extra,
    })
  }
  const last = outcomes.findLast((outcome) => outcome.kind === 'failed')
  if (last !== undefined && isTimeout(last)) {
    return new GatewayError('provider_timeout', 'The provider did not answer in time.', { extra, retryable: false })
  }
  return new GatewayError('provider_failed', 'The provider failed to answer this request.', {
    extra,
    ...(ran ? { retryable: false } : {}),
  })
}

/** The refusal when every backend of the plan was full for as long as the request may wait. */
export const noCapacity = (model: string): GatewayError =>
  new GatewayError('no_capacity', `All backends of the model '${model}' are at capacity. Please try again.`, {
    retryAfterMs: NO_CAPACITY_RETRY_MS,
  })

function refusal({ error }: Extract<Outcome, { kind: 'refused' }>): GatewayError {
  return new GatewayError('provider_refused', error.message, {
    status: error.status,
    publicType: error.type ?? 'invalid_request_error',
    publicCode: error.code,
    ...(error.param === null ? {} : { param: error.param }),
  })
}

const isTimeout = (outcome: Extract<Outcome, { kind: 'failed' }>): boolean => outcome.reason.endsWith('_timeout')
