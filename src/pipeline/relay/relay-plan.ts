import { surfaceOf } from '../../dialects/index.ts'
import {
  type AttemptRecord,
  consequenceOf,
  coverName,
  type EndReason,
  GatewayError,
  type Outcome,
} from '../../domain/index.ts'
import type { AnswerPace } from '../../health/index.ts'
import { outputUnits, type Settled } from '../../ledger/index.ts'
import { asGatewayError, publicError } from '../answer.ts'
import { answerTokens } from '../answer-tokens.ts'
import { type Call, shuttingDown } from '../call.ts'
import { conclude } from '../conclude.ts'
import { captured } from '../content-capture.ts'
import type { Ending, RelayEnd } from '../handover.ts'
import type { House } from '../house.ts'
import { keepAnswer } from '../keep-answer.ts'
import { insufficient, meansOf } from '../means.ts'
import { answerMark } from '../reply-view.ts'
import type { Timing } from '../timing.ts'
import { createCredit } from './credit.ts'
import type { Delivery, Streaming } from './delivery.ts'
import { keptFirst } from './kept-first.ts'
import { createMeter } from './meter.ts'
import type { RelayPlan, UnwholeEnd } from './relay.ts'

/** What the relay of a stream needs, up to its end: slot back, settled, recorded. Whatever was delivered is paid. */
export function relayPlan(
  house: House,
  call: Call,
  end: Streaming,
  delivery: Delivery,
  { timing, lastComment }: { readonly timing: Timing; readonly lastComment: Uint8Array },
): RelayPlan {
  const { live, candidate } = end
  const { requestId } = call
  const { covered } = candidate
  const bytesPerToken = house.bytesPerToken.of(covered.offer)
  const reached = () => ({
    offer: coverName(covered),
    deliveredUnits: outputUnits(live.reply.textBytes, bytesPerToken),
  })
  const surface = surfaceOf(call.arrival.surface)
  const mark = () => ({ ...answerMark(call, candidate, call.model ?? candidate.offer.model), begun: live.reply.begun })
  const { prepared, open, context } = delivery
  const { isKept = false } = prepared.facts
  if (isKept) void keepStream(house, call, end)
  return {
    live: captured(isKept ? keptFirst(live, () => keepStream(house, call, end)) : live, call.content),
    meter: createMeter(house.clock, {
      reply: live.reply,
      credit: createCredit(house, call, { candidate, prepared, open, context }),
      reached,
      write: (checkpoint) => house.ledger.checkpoint(requestId, checkpoint),
    }),
    lastComment,
    errorEvent: (relayEnd) =>
      live.mediaType === null
        ? surface.writeErrorEvent(publicError(errorOf(house, delivery, relayEnd), requestId), mark())
        : null,
    ended: (relayEnd, wasHeldUp) => {
      const answer = relayEnd.kind === 'completed' && !wasHeldUp ? paceOf(house, call, end) : null
      endStream(house, call, end, delivery, timing, relayEnd, answer)
    },
  }
}

const REASONS = {
  completed: 'completed',
  broken: 'provider_broken',
  client: 'client_gone',
  client_stall: 'client_stall',
  shutdown: 'shutdown',
  credit: 'credit',
} as const

/** The end of a stream: slot back, settled, recorded. Whatever was delivered is paid. */
function endStream(
  house: House,
  call: Call,
  end: Streaming,
  delivery: Delivery,
  timing: Timing,
  relayEnd: RelayEnd,
  answer: AnswerPace | null,
): void {
  end.slot.agent.release(end.slot)
  const reason: EndReason = REASONS[relayEnd.kind === 'cancelled' ? relayEnd.by : relayEnd.kind]
  const { usage, promptUsage, textBytes, finishReason = null } = end.live.reply
  if (delivery.prepared.facts.isKept === true && !end.live.reply.finished) void keepStream(house, call, end)
  call.finishReason = finishReason
  const { settled, bug } = settleOrVoid(delivery, {
    kind: 'served',
    reason,
    covered: end.candidate.covered,
    usage,
    promptUsage,
    textBytes,
  })
  correctLastAttempt(call, correctionOf(relayEnd))
  const outcome = outcomeOf(relayEnd)
  const { blame } = consequenceOf(outcome, { sent: true, hasCredential: end.sent.credential !== null })
  house.health.attemptEnded({ ...end.sent, outcome, sent: true, blame, answer })
  delivery.over(settled)
  conclude(house, call, {
    status: 200,
    error: bug ?? (relayEnd.kind === 'completed' ? null : errorOf(house, delivery, relayEnd)),
    timing,
    settled,
  })
}

/** Writes down where a stream's answer is kept: at its beginning, when nobody waits for the disk, and before its end with all its items. */
async function keepStream(house: House, call: Call, { live, candidate, sent }: Streaming): Promise<void> {
  const { stored } = live.reply
  if (stored === undefined || stored === null) return
  await keepAnswer(house, call, { candidate, credential: sent.credential }, stored)
}

/** How fast the answer came since its first content, which the last attempt ended with. */
function paceOf(house: House, call: Call, { live, candidate }: Streaming): AnswerPace {
  const begunUs = call.attempts.at(-1)?.endedUs ?? 0
  return { tokens: answerTokens(house, candidate.offer.id, live.reply), us: call.clock.elapsedUs() - begunUs }
}

/** Nobody stands above the end of a stream: a bug in its money voids it, and is told with the request's line in the log. */
function settleOrVoid(delivery: Delivery, ending: Ending): { settled: Settled; bug: GatewayError | null } {
  try {
    return { settled: delivery.settle(ending), bug: null }
  } catch (thrown) {
    return { settled: delivery.settle({ kind: 'voided', reason: 'no_answer' }), bug: asGatewayError(thrown) }
  }
}

type Correction = Partial<Pick<AttemptRecord, 'outcome' | 'reason' | 'absorbed' | 'possibleCost'>>

/** An attempt that served up to its commit point may still have broken or been cancelled after it. */
export function correctLastAttempt(call: Call, correction: Correction): void {
  const last = call.attempts.pop()
  if (last !== undefined) call.attempts.push({ ...last, ...correction, endedUs: call.clock.elapsedUs() })
}

function outcomeOf(end: RelayEnd): Outcome {
  switch (end.kind) {
    case 'completed':
      return { kind: 'succeeded' }
    case 'broken':
      return { kind: 'broken', reason: end.reason, message: end.message }
    case 'cancelled':
      return { kind: 'cancelled', by: end.by, sent: true }
  }
}

function correctionOf(end: RelayEnd): Correction {
  if (end.kind === 'completed') return {}
  return end.kind === 'broken' ? { outcome: 'broken', reason: end.reason } : { outcome: 'cancelled', reason: end.by }
}

const errorOf = (house: House, { context, open }: Delivery, end: UnwholeEnd): GatewayError =>
  end.kind === 'cancelled' && end.by === 'credit'
    ? insufficient(meansOf(house, context, open.hold.openedAtMs), null, 'the rest of this answer')
    : unwholeError(end)

/** What is told of an answer that is not whole, for whatever reason but that nobody can pay for the rest. */
export function unwholeError(end: UnwholeEnd): GatewayError {
  if (end.kind === 'broken')
    return new GatewayError('stream_broken', 'The provider broke off in the middle of its answer.', {
      internal: `${end.reason}: ${end.message}`,
    })
  if (end.by === 'shutdown') return shuttingDown()
  return new GatewayError('client_closed_request', 'The caller left before the end of the stream.', {
    internal: end.by,
  })
}
