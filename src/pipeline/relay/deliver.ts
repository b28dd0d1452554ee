import { costOf } from '../../domain/index.ts'
import type { Settled } from '../../ledger/index.ts'
import { asGatewayError, mediumAnswer, plainAnswer, streamAnswer } from '../answer.ts'
import { type Call, leaving, unwritable } from '../call.ts'
import { conclude } from '../conclude.ts'
import { estimatedUsage } from '../estimated-usage.ts'
import type { DispatchEnd, Ending } from '../handover.ts'
import type { House } from '../house.ts'
import { keepAnswer } from '../keep-answer.ts'
import type { Answered, Delivery, Streaming } from './delivery.ts'
import { relayBody } from './relay.ts'
import { relayPlan } from './relay-plan.ts'
import { giveUpStream, settleUnserved } from './settle-unserved.ts'

/** What dispatching came to, as an answer: no byte of it leaves before the hold is on disk. Throws for what is no answer. */
export function deliver(house: House, call: Call, end: DispatchEnd, delivery: Delivery): Promise<Response> {
  switch (end.kind) {
    case 'answered':
      return deliverPlain(house, call, end, delivery)
    case 'streaming':
      return deliverStream(house, call, end, delivery)
    case 'unserved':
      settleUnserved(call, end, delivery)
      throw end.error
  }
}

async function deliverPlain(
  house: House,
  call: Call,
  { candidate, reply, credential }: Answered,
  delivery: Delivery,
): Promise<Response> {
  const { usage, textBytes, finishReason = null } = reply
  call.clock.post(true)
  const { stored } = reply
  const isKept = stored !== undefined && delivery.prepared.facts.isKept === true
  const keeping = isKept ? keepAnswer(house, call, { candidate, credential }, stored) : null
  const ending: Served = { kind: 'served', reason: 'completed', covered: candidate.covered, usage, textBytes }
  const settled = await settleOnDisk(house, call, ending, delivery)
  if (keeping !== null) await keeping // who is told of an id finds it, whatever happens now
  call.clock.post()
  call.finishReason = finishReason
  call.content?.add(reply.body)
  const timing = call.clock.read()
  delivery.over(settled)
  conclude(house, call, { status: 200, error: null, timing, settled })
  return plainAnswer(call, timing, reply.body, reply.mediaType)
}

/**
 * Settled in one row with the hold while that is not on its way to the disk yet, else once it is there: so that what cannot be delivered is
 * never charged. What the provider did for it all the same is absorbed.
 */
async function settleOnDisk(
  house: House,
  call: Call,
  ending: Served,
  { guard, settle, settleWithHold }: Delivery,
): Promise<Settled> {
  const withHold = settleWithHold(ending)
  try {
    if (withHold !== null) return await withHold
    await guard.onDisk()
  } catch {
    if (withHold === null) settle({ kind: 'voided', reason: 'storage' })
    absorb(house, call, ending)
    throw unwritable()
  }
  return settle(ending)
}

type Served = Extract<Ending, { kind: 'served' }>

function absorb(house: House, call: Call, { covered, usage, textBytes }: Served): void {
  const last = call.attempts.pop()
  if (last === undefined) return
  const { cost } = covered
  const possible =
    cost === null ? {} : { possibleCost: costOf(usage ?? estimatedUsage(house, covered, textBytes), cost) }
  call.attempts.push({ ...last, absorbed: true, ...possible })
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
    const error = asGatewayError(thrown)
    settleUnserved(call, giveUpStream(call, end, error), delivery)
    throw error
  } finally {
    unlisten()
  }
  call.clock.post()
  const timing = call.clock.read()
  const body = relayBody(house, call, relayPlan(house, call, end, delivery, { timing, lastComment: NO_COMMENT }))
  const { mediaType } = live
  return mediaType === null ? streamAnswer(call, timing, body) : mediumAnswer(call, timing, mediaType, body)
}

const NO_COMMENT = new Uint8Array(0)
