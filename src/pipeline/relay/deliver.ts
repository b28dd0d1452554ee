import { surfaceOf } from '../../dialects/index.ts'
import { type AttemptRecord, type EndReason, type FailedReason, GatewayError } from '../../domain/index.ts'
import type { Settled } from '../../ledger/index.ts'
import { asGatewayError, plainAnswer, publicError, streamAnswer } from '../answer.ts'
import { type Call, leaving, shuttingDown } from '../call.ts'
import { conclude } from '../conclude.ts'
import type { DispatchEnd, Ending, PreparedRequest, RelayEnd } from '../handover.ts'
import type { HoldGuard } from '../hold-guard.ts'
import type { House } from '../house.ts'
import { answerMark } from '../reply-view.ts'
import type { Timing } from '../timing.ts'
import { createMeter } from './meter.ts'
import { relayBody, type UnwholeEnd } from './relay.ts'

export interface Delivery {
  readonly prepared: PreparedRequest
  readonly guard: HoldGuard
  /** Ends the hold, once. */
  readonly settle: (ending: Ending) => Settled
  /** The request is over once this settlement is on disk. */
  readonly over: (settled: Settled) => void
}

type Answered = Extract<DispatchEnd, { kind: 'answered' }>
type Streaming = Extract<DispatchEnd, { kind: 'streaming' }>
type Unserved = Extract<DispatchEnd, { kind: 'unserved' }>

/** What dispatching came to, as an answer: no byte of it leaves before the hold is on disk. Throws for what is no answer. */
export function deliver(house: House, call: Call, end: DispatchEnd, delivery: Delivery): Promise<Response> {
  switch (end.kind) {
    case 'answered':
      return deliverPlain(house, call, end, delivery)
    case 'streaming':
      return deliverStream(house, call, end, delivery)
    case 'unserved':
      return deliverNothing(call, end, delivery)
  }
}

/** Settled once the hold is on disk, so that what cannot be delivered is never charged. */
async function deliverPlain(
  house: House,
  call: Call,
  { candidate, reply }: Answered,
  { guard, settle, over }: Delivery,
): Promise<Response> {
  call.clock.post(true)
  try {
    await guard.onDisk()
  } catch (thrown) {
    settle({ kind: 'voided', reason: 'storage' })
    throw thrown
  }
  call.clock.post()
  const { usage, textBytes } = reply
  const settled = settle({ kind: 'served', reason: 'completed', covered: candidate.covered, usage, textBytes })
  const timing = call.clock.read()
  over(settled)
  conclude(house, call, { status: 200, error: null, timing, settled })
  return plainAnswer(call, timing, reply.body)
}

async function deliverStream(house: House, call: Call, end: Streaming, delivery: Delivery): Promise<Response> {
  const { live } = end
  const unlisten = call.leave.onFire(() => live.exchange.abort()) // nobody else listens between the commit point and the relay
  call.clock.post(true)
  try {
    await delivery.guard.onDisk()
    const stopped = leaving(call)
    if (stopped !== null) throw stopped
  } catch (thrown) {
    return await giveUpStream(call, end, delivery, asGatewayError(thrown))
  } finally {
    unlisten()
  }
  call.clock.post()
  const timing = call.clock.read()
  const { requestId } = call
  const { covered } = end.candidate
  const bytesPerToken = house.bytesPerToken.of(covered.offer)
  const reached = () => ({ offer: covered.offer, deliveredUnits: Math.ceil(live.reply.textBytes / bytesPerToken) })
  const meter = createMeter(house.clock, reached, (checkpoint) => house.ledger.checkpoint(requestId, checkpoint))
  const surface = surfaceOf(call.arrival.surface)
  const mark = () => answerMark(call, end.candidate, call.model ?? end.candidate.offer.model)
  const body = relayBody(house, call, {
    live,
    meter,
    errorEvent: (relayEnd) => surface.writeErrorEvent(publicError(errorOf(relayEnd), requestId), mark()),
    ended: (relayEnd) => endStream(house, call, end, delivery, timing, relayEnd),
  })
  return streamAnswer(call, timing, body)
}

/** A stream of which nothing was delivered: to its caller it is as if there had been no content. */
function giveUpStream(
  call: Call,
  { live, slot, candidate }: Streaming,
  delivery: Delivery,
  error: GatewayError,
): Promise<never> {
  live.exchange.abort()
  slot.agent.release(slot)
  correctLastAttempt(call, { outcome: 'cancelled', reason: call.leave.reason })
  return deliverNothing(call, { kind: 'unserved', error, mayHaveRun: candidate, reported: null }, delivery)
}

const REASONS = {
  completed: 'completed',
  broken: 'provider_broken',
  client: 'client_gone',
  client_stall: 'client_stall',
  shutdown: 'shutdown',
} as const

/** The end of a stream: slot back, settled, recorded. Whatever was delivered is paid. */
function endStream(
  house: House,
  call: Call,
  end: Streaming,
  delivery: Delivery,
  timing: Timing,
  relayEnd: RelayEnd,
): void {
  end.slot.agent.release(end.slot)
  const reason: EndReason = REASONS[relayEnd.kind === 'cancelled' ? relayEnd.by : relayEnd.kind]
  const { usage, textBytes } = end.live.reply
  const { settled, bug } = settleOrVoid(delivery, {
    kind: 'served',
    reason,
    covered: end.candidate.covered,
    usage,
    textBytes,
  })
  correctLastAttempt(call, correctionOf(relayEnd))
  delivery.over(settled)
  conclude(house, call, {
    status: 200,
    error: bug ?? (relayEnd.kind === 'completed' ? null : errorOf(relayEnd)),
    timing,
    settled,
  })
}

/** Nobody stands above the end of a stream: a bug in its money voids it, and is told with the request's line in the log. */
function settleOrVoid(delivery: Delivery, ending: Ending): { settled: Settled; bug: GatewayError | null } {
  try {
    return { settled: delivery.settle(ending), bug: null }
  } catch (thrown) {
    return { settled: delivery.settle({ kind: 'voided', reason: 'no_answer' }), bug: asGatewayError(thrown) }
  }
}

type Correction = Partial<Pick<AttemptRecord, 'outcome' | 'reason'>>

/** An attempt that served up to its commit point may still have broken or been cancelled after it. */
function correctLastAttempt(call: Call, correction: Correction): void {
  const last = call.attempts.pop()
  if (last !== undefined) call.attempts.push({ ...last, ...correction, endedUs: call.clock.elapsedUs() })
}

function correctionOf(end: RelayEnd): Correction {
  if (end.kind === 'completed') return {}
  return end.kind === 'broken' ? { outcome: 'broken', reason: end.reason } : { outcome: 'cancelled', reason: end.by }
}

function errorOf(end: UnwholeEnd): GatewayError {
  if (end.kind === 'broken') return brokenError(end.reason, end.message)
  if (end.by === 'shutdown') return shuttingDown()
  return new GatewayError('client_closed_request', 'The caller left before the end of the stream.', {
    internal: end.by,
  })
}

const brokenError = (reason: FailedReason, message: string): GatewayError =>
  new GatewayError('stream_broken', 'The provider broke off in the middle of its answer.', {
    internal: `${reason}: ${message}`,
  })

/**
 * No attempt served: nothing is owed, but for the prompt of a request that was sent whole before its caller left, and for what a provider
 * reports with its refusal.
 */
async function deliverNothing(call: Call, end: Unserved, { settle }: Delivery): Promise<never> {
  const { error, mayHaveRun, reported } = end
  const byClient = call.leave.reason === 'client'
  if (byClient && mayHaveRun !== null && call.settings.money.beforeContent === 'prompt') {
    settle({ kind: 'served', reason: 'client_gone', covered: mayHaveRun.covered, usage: null, textBytes: 0 })
  } else if (reported !== null) {
    const { candidate, usage } = reported
    settle({ kind: 'served', reason: 'provider_reported', covered: candidate.covered, usage, textBytes: 0 })
  } else settle({ kind: 'voided', reason: voidReason(byClient, call) })
  throw error
}

function voidReason(byClient: boolean, call: Call): EndReason {
  if (byClient) return 'cancelled_unsent'
  const { reason } = call.leave
  return reason === 'storage' || reason === 'shutdown' ? reason : 'no_answer'
}
