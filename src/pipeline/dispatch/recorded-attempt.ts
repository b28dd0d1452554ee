import {
  type AttemptRecord,
  type Blame,
  type Consequence,
  consequenceOf,
  costOf,
  estimateOf,
  type Outcome,
} from '../../domain/index.ts'
import type { Claim } from '../../health/index.ts'
import { bareAttempt } from '../../records/index.ts'
import { answerTokens } from '../answer-tokens.ts'
import type { Call } from '../call.ts'
import type { House } from '../house.ts'
import { type AttemptEnd, runAttempt } from './attempt.ts'
import type { Sending } from './outgoing-request.ts'

export type Failure = Extract<AttemptEnd, { kind: 'ended' }> & { readonly consequence: Consequence }

/** A request to be sent, and by which right. */
export interface Trying extends Sending {
  readonly claim: Claim
}

const SUCCEEDED: Outcome = { kind: 'succeeded' }

/** Sends the request once, times it, writes down what came of it, and tells the rooms of health. Rejects only for a bug. */
export async function recordedAttempt(
  house: House,
  call: Call,
  sending: Trying,
): Promise<Exclude<AttemptEnd, { kind: 'ended' }> | Failure> {
  const { candidate, credential, claim } = sending
  const { backend, id: offer } = candidate.offer
  call.clock.attemptBegins()
  const startedUs = call.clock.elapsedUs()
  const attempting = runAttempt(house, call, sending)
  const end = await attempting.ended
  const timing = attempting.exchange.timing()
  const { providerRequestId } = attempting
  call.clock.attemptEnds(backend.id, timing)
  call.backend = backend.id
  call.model = candidate.offer.model
  const endedUs = call.clock.elapsedUs()
  const about = {
    number: call.attempts.length + 1,
    offer,
    backend: backend.id,
    credential: credential?.id ?? null,
    startedUs,
    endedUs,
    timing,
    ...(providerRequestId === null ? {} : { providerRequestId }),
  }
  const sent = { claim, offer, accountId: call.accountId ?? '', credential }
  const isResent = timing.connection === 'resent' // its first sending may have been executed too
  if (end.kind !== 'ended') {
    const served = { ...about, outcome: 'succeeded', reason: null, status: end.status } as const
    call.attempts.push({ ...served, ...absorption(call, sending, isResent) })
    if (end.kind === 'streaming') house.health.contentBegan(sent, endedUs - startedUs)
    else {
      const answer = { tokens: answerTokens(house, offer, end.reply), us: endedUs - startedUs }
      house.health.attemptEnded({ ...sent, outcome: SUCCEEDED, sent: true, blame: 'cleared', answer })
    }
    return end
  }
  const consequence = consequenceOf(end.outcome, { sent: end.sent, hasCredential: credential !== null })
  house.health.attemptEnded({ ...sent, outcome: end.outcome, sent: end.sent, blame: consequence.blame })
  const absorbed = absorption(call, sending, isResent || consequence.charge === 'absorbed')
  const attempt = { ...about, outcome: end.outcome.kind, ...describe(end.outcome), ...absorbed }
  call.attempts.push(attempt)
  logFailure(house, call, call.keepsNothing ? bareAttempt(attempt) : attempt, {
    outcome: end.outcome,
    blame: consequence.blame,
  })
  return { ...end, consequence }
}

/** The provider may have done it without serving: then it may bill the prompt and the longest answer that was to be expected. */
function absorption(
  { settings }: Call,
  { candidate: { covered, offer }, prepared: { facts } }: Trying,
  absorbed: boolean,
): Pick<AttemptRecord, 'absorbed' | 'possibleCost'> {
  if (!absorbed || covered.cost === null) return { absorbed }
  const expected = facts.outputLimit ?? settings.money.outputReserveTokens
  const outputTokens = Math.min(expected, offer.outputTokensMax ?? Number.POSITIVE_INFINITY) * facts.choices
  const usage = estimateOf(covered, Math.min(outputTokens, OUTPUT_TOKENS_MAX))
  return { absorbed, possibleCost: costOf(usage, covered.cost) }
}

const OUTPUT_TOKENS_MAX = 1_000_000_000 // what a caller asks for may be any number

function describe(outcome: Outcome): Pick<AttemptRecord, 'reason' | 'status'> {
  switch (outcome.kind) {
    case 'succeeded':
      return { reason: null, status: 200 }
    case 'refused':
    case 'too_long':
    case 'denied':
    case 'throttled':
      return { reason: outcome.error.code, status: outcome.error.status }
    case 'unsent':
    case 'broken':
      return { reason: outcome.reason, status: null }
    case 'failed':
      return { reason: outcome.reason, status: outcome.status }
    case 'cancelled':
      return { reason: outcome.by, status: null }
  }
}

/** The line of the request tells of an attempt that served; any other has a line of its own. */
function logFailure(
  house: House,
  call: Call,
  attempt: AttemptRecord,
  { outcome, blame }: { readonly outcome: Outcome; readonly blame: Blame },
): void {
  house.log.warn('attempt', {
    request_id: call.requestId,
    number: attempt.number,
    offer: attempt.offer,
    backend: attempt.backend,
    credential: attempt.credential,
    outcome: attempt.outcome,
    reason: attempt.reason,
    status: attempt.status,
    blame,
    us: attempt.endedUs - attempt.startedUs,
    connection: attempt.timing.connection,
    message: 'message' in outcome && !call.keepsNothing ? outcome.message : undefined,
  })
}
