import type { Slot } from '../../agents/index.ts'
import type { AttemptRecord, Outcome } from '../../domain/index.ts'
import { assert } from '../../lib/index.ts'
import { type Call, leaving } from '../call.ts'
import type { AffordableCandidate, DispatchEnd, PreparedRequest } from '../handover.ts'
import type { House } from '../house.ts'
import { type AttemptEnd, runAttempt } from './attempt.ts'
import { finalError, noCapacity } from './final-error.ts'
import { takeSlot } from './take-slot.ts'

export interface DispatchPlan {
  readonly candidates: readonly AffordableCandidate[]
  readonly prepared: PreparedRequest
  /** The model id that the caller sees. */
  readonly model: string
}

/**
 * Sends the request to the candidates in turn until one serves it or nothing is left to try: a full backend is passed over at no cost,
 * `attempts_max` counts requests sent, `dials_max` the dials that came to nothing. Rejects only for a bug.
 */
export async function dispatch(house: House, call: Call, plan: DispatchPlan): Promise<DispatchEnd> {
  const { attemptsMax, dialsMax } = call.settings.routing
  const outcomes: Outcome[] = []
  let left = [...plan.candidates]
  let sent = 0
  let unsent = 0
  while (left.length > 0 && sent < attemptsMax && unsent < dialsMax) {
    const taken = takeSlot(house, call, [...new Set(left.map(({ offer }) => house.agents.of(offer.backend)))])
    const slot = taken instanceof Promise ? await taken : taken
    const stopped = leaving(call)
    if (stopped !== null) {
      slot?.agent.release(slot)
      return { kind: 'unserved', error: stopped, mayHaveRun: null }
    }
    if (slot === null) break
    const candidate = left.find(({ offer }) => house.agents.of(offer.backend) === slot.agent)
    assert(candidate !== undefined, 'a waiter joins the agents of its candidates only')
    left = left.filter((other) => other !== candidate)
    const end = await attemptOnce(house, call, plan, candidate, slot).catch((bug: unknown) => {
      slot.agent.release(slot)
      throw bug
    })
    if (end.kind !== 'ended') return served(end, candidate, slot)
    slot.agent.release(slot)
    outcomes.push(end.outcome)
    if (end.outcome.kind === 'unsent') unsent++
    else sent++
    if (end.outcome.kind === 'cancelled') {
      return {
        kind: 'unserved',
        error: leaving(call) ?? finalError(outcomes, call.attempts),
        mayHaveRun: end.sent ? candidate : null,
      }
    }
    if (isFinal(end, plan)) break
    left = left.filter(({ offer }) => call.clock.elapsedUs() / 1000 < offer.backend.limits.totalMs)
  }
  const error = outcomes.length === 0 ? noCapacity(plan.model) : finalError(outcomes, call.attempts)
  return { kind: 'unserved', error, mayHaveRun: null }
}

function served(end: Exclude<AttemptEnd, { kind: 'ended' }>, candidate: AffordableCandidate, slot: Slot): DispatchEnd {
  if (end.kind === 'streaming') return { kind: 'streaming', candidate, live: end.live, slot }
  slot.agent.release(slot)
  return { kind: 'answered', candidate, reply: end.reply }
}

/** The client's own fault is returned; a plain request that timed out after it was sent may have run and is not repeated. */
function isFinal({ outcome, sent }: Extract<AttemptEnd, { kind: 'ended' }>, { prepared }: DispatchPlan): boolean {
  if (outcome.kind === 'refused') return true
  return isTimeout(outcome) && sent && !prepared.facts.stream
}

const isTimeout = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' &&
  (outcome.reason === 'total_timeout' ||
    outcome.reason === 'idle_timeout' ||
    outcome.reason === 'first_content_timeout')

async function attemptOnce(
  house: House,
  call: Call,
  plan: DispatchPlan,
  candidate: AffordableCandidate,
  slot: Slot,
): Promise<AttemptEnd> {
  const { backend } = candidate.offer
  const credential = backend.provider.credentials[0] ?? null
  call.clock.attemptBegins()
  const startedUs = call.clock.elapsedUs()
  const { exchange, ended } = runAttempt(house, call, {
    candidate,
    prepared: plan.prepared,
    model: plan.model,
    credential,
    slot,
  })
  const end = await ended
  const timing = exchange.timing()
  call.clock.attemptEnds(backend.id, timing.connection)
  const attempt: AttemptRecord = {
    number: call.attempts.length + 1,
    offer: candidate.offer.id,
    backend: backend.id,
    credential: credential?.id ?? null,
    ...describe(end),
    startedUs,
    endedUs: call.clock.elapsedUs(),
    timing,
  }
  call.attempts.push(attempt)
  call.backend = backend.id
  logAttempt(house, call, attempt, end)
  return end
}

function describe(end: AttemptEnd): Pick<AttemptRecord, 'outcome' | 'reason' | 'status' | 'absorbed'> {
  if (end.kind !== 'ended') return { outcome: 'succeeded', reason: null, status: end.status, absorbed: false }
  const { outcome, sent } = end
  switch (outcome.kind) {
    case 'succeeded':
      return { outcome: 'succeeded', reason: null, status: 200, absorbed: false }
    case 'refused':
    case 'denied':
    case 'throttled':
      return { outcome: outcome.kind, reason: outcome.error.code, status: outcome.error.status, absorbed: false }
    case 'unsent':
    case 'broken':
      return { outcome: outcome.kind, reason: outcome.reason, status: null, absorbed: false }
    case 'failed':
      return { outcome: 'failed', reason: outcome.reason, status: outcome.status, absorbed: sent && isTimeout(outcome) }
    case 'cancelled':
      return { outcome: 'cancelled', reason: outcome.by, status: null, absorbed: false }
  }
}

function logAttempt(house: House, call: Call, attempt: AttemptRecord, end: AttemptEnd): void {
  if (end.kind !== 'ended') return // the line of the request tells of an attempt that served
  const message = 'message' in end.outcome ? end.outcome.message : undefined
  house.log.warn('attempt', {
    request_id: call.requestId,
    number: attempt.number,
    backend: attempt.backend,
    outcome: attempt.outcome,
    reason: attempt.reason,
    status: attempt.status,
    us: attempt.endedUs - attempt.startedUs,
    connection: attempt.timing.connection,
    message,
  })
}
