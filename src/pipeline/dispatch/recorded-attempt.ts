import { type AttemptRecord, type Blame, type Consequence, consequenceOf, type Outcome } from '../../domain/index.ts'
import type { Claim } from '../../health/index.ts'
import { bareAttempt } from '../../records/index.ts'
import { absorption, paysPrompt } from '../absorption.ts'
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
  const { candidate, credential, claim, prepared } = sending
  const { facts } = prepared
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
    call.attempts.push({ ...served, ...absorption(call, { candidate, facts }, isResent) })
    if (end.kind === 'streaming') house.health.contentBegan(sent, endedUs - startedUs)
    else {
      const answer = { tokens: answerTokens(house, offer, end.reply), us: endedUs - startedUs }
      house.health.attemptEnded({ ...sent, outcome: SUCCEEDED, sent: true, blame: 'cleared', answer })
    }
    return end
  }
  const consequence = consequenceOf(end.outcome, { sent: end.sent, hasCredential: credential !== null })
  house.health.attemptEnded({ ...sent, outcome: end.outcome, sent: end.sent, blame: consequence.blame })
  const isAbsorbed = isResent || consequence.charge === 'absorbed' || isLeftUnpaid(call, consequence, end.sent)
  const absorbed = absorption(call, { candidate, facts }, isAbsorbed)
  const attempt = { ...about, outcome: end.outcome.kind, ...describe(end.outcome), ...absorbed }
  call.attempts.push(attempt)
  logFailure(house, call, call.keepsNothing ? bareAttempt(attempt) : attempt, {
    outcome: end.outcome,
    blame: consequence.blame,
  })
  return { ...end, consequence }
}

/** It was sent whole and given up, and its caller does not pay for that. */
const isLeftUnpaid = (call: Call, { charge }: Consequence, sent: boolean): boolean =>
  charge === 'leaving' && sent && !paysPrompt(call)

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
