import { surfaceOf } from '../dialects/index.ts'
import type { AccountContext, GatewayError } from '../domain/index.ts'
import type { Settled } from '../ledger/index.ts'
import { admit, admitRequest } from './admit.ts'
import { asGatewayError, errorAnswer, plainAnswer } from './answer.ts'
import { authenticate, recognise } from './authenticate.ts'
import { type Arrival, note } from './call.ts'
import { conclude } from './conclude.ts'
import { dispatch } from './dispatch/index.ts'
import { openExplanation, wantsExplanation } from './explanation.ts'
import type { Ending } from './handover.ts'
import { guardHold } from './hold-guard.ts'
import type { House } from './house.ts'
import { prepare } from './prepare.ts'
import { receiveBody, receiveHead } from './receive.ts'
import { beforeHeartbeat, deliver, deliverOpen } from './relay/index.ts'
import { reserve } from './reserve.ts'
import { attemptsMaxOf, captureWorld, refuseEmptyPlan, route, wishOf } from './route/index.ts'
import { settle } from './settle.ts'
import { warm } from './warm.ts'
import { beginWork, type Work } from './work.ts'

/**
 * One inference request from its head to its settlement: this file is the order of the verbs. The answer is returned at the first content, at
 * the final error, or at the first heartbeat of a stream; settlement and record follow when the stream ends, breaks or is cancelled.
 */
export async function run(house: House, arrival: Arrival): Promise<Response> {
  const work = beginWork(house, arrival)
  try {
    return await serve(work, arrival)
  } catch (thrown) {
    return refuse(work, asGatewayError(thrown), null)
  }
}

async function serve(work: Work, arrival: Arrival): Promise<Response> {
  const { house, call, over } = work
  const { context, body } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const prepared = prepare(surfaceOf(arrival.surface).dialect, arrival.operation, body, arrival.request)
  note(call, { modelAsked: prepared.facts.model, stream: prepared.facts.stream })
  call.clock.enter('route')
  const wish = wishOf(call, prepared.facts)
  const world = captureWorld(house, context, wish.session)
  const attemptsMax = attemptsMaxOf(call)
  const plan = route(world, wish)
  const session = wish.session === undefined ? null : { id: wish.session, places: world.sticky }
  note(call, { model: plan.model, skips: plan.skips, session })
  refuseEmptyPlan(plan, world.nowMs)
  call.clock.enter('hold')
  const reservation = reserve(house, call, context, plan, prepared)
  note(call, { plan: reservation.candidates, skips: [...plan.skips, ...reservation.skips] })
  const guard = guardHold(house, call, reservation.open)
  const end = (ending: Ending) => settle(house, call, prepared, ending)
  try {
    call.clock.enter('wait')
    const dispatching = dispatch(house, call, {
      candidates: reservation.candidates,
      prepared,
      model: plan.model,
      attemptsMax,
    })
    const dispatched = prepared.facts.stream
      ? await beforeHeartbeat(house, call, dispatching, guard)
      : await dispatching
    const delivery = { prepared, context, open: reservation.open, guard, settle: end, over }
    if (dispatched === null) return deliverOpen(house, call, dispatching, delivery)
    call.clock.post()
    return await deliver(house, call, dispatched, delivery)
  } catch (thrown) {
    const settled = end({ kind: 'voided', reason: 'no_answer' }) // changes nothing when it has ended already
    return refuse(work, asGatewayError(thrown), settled)
  }
}

/** An operation that only reads: the same door, no money. `answer` makes the body for whom it is. */
export async function runListing(
  house: House,
  arrival: Arrival,
  answer: (context: AccountContext) => Uint8Array,
): Promise<Response> {
  const work = beginWork(house, arrival)
  const { call } = work
  try {
    const { context } = await enter(work, arrival)
    call.clock.enter('prep')
    const body = answer(context)
    call.clock.post()
    const timing = call.clock.read()
    work.over(null)
    conclude(house, call, { status: 200, error: null, timing, settled: null })
    return plainAnswer(call, timing, body)
  } catch (thrown) {
    return refuse(work, asGatewayError(thrown), null)
  }
}

/** receive, authenticate, admit: what every operation begins with. */
async function enter({ house, call }: Work, arrival: Arrival): Promise<{ context: AccountContext; body: Uint8Array }> {
  const head = receiveHead(house, call)
  const recognition = recognise(house, head.secrets, arrival.remoteAddress)
  warm(house, recognition)
  arrival.liftIdleLimit()
  if (wantsExplanation(call)) note(call, { explain: await openExplanation(house, head.secrets) })
  const body = await receiveBody(house, call, head, recognition.kind === 'known' ? null : recognition.principal)
  call.clock.enter('auth')
  const principal = await authenticate(house, head.secrets, recognition, arrival.remoteAddress)
  note(call, { keyId: principal.key.id })
  call.clock.enter('ctx')
  const context = await admit(house, principal)
  note(call, { accountId: context.account.id })
  return { context, body }
}

function refuse({ house, call, over }: Work, error: GatewayError, settled: Settled | null): Response {
  call.clock.post()
  const timing = call.clock.read()
  over(settled) // first: whatever happens to the record, nothing is left to wait for
  conclude(house, call, { status: error.status, error, timing, settled })
  return errorAnswer(call, timing, error)
}
