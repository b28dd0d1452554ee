import { surfaceOf } from '../dialects/index.ts'
import { admitRequest } from './admit.ts'
import { asGatewayError } from './answer.ts'
import type { Arrival } from './call.ts'
import { dispatch } from './dispatch/index.ts'
import { enter } from './enter.ts'
import { findKept, type KeptFor } from './find-kept.ts'
import type { Ending, PreparedRequest } from './handover.ts'
import { guardHold } from './hold-guard.ts'
import type { House } from './house.ts'
import { prepare, prepareForm } from './prepare.ts'
import { RankBook } from './rank-book.ts'
import { refused } from './refused.ts'
import { beforeHeartbeat, deliver, deliverOpen } from './relay/index.ts'
import { reserve } from './reserve.ts'
import { attemptsMaxOf, captureWorld, refuseEmptyPlan, route, wishOf } from './route/index.ts'
import { settle, settleWithHold } from './settle.ts'
import { withWork } from './with-work.ts'
import type { Work } from './work.ts'

/**
 * One inference request from its head to its settlement: this file is the order of the verbs. The answer is returned at the first content, at
 * the final error, or at the first heartbeat of a stream; settlement and record follow when the stream ends, breaks or is cancelled.
 */
export const run = (house: House, arrival: Arrival): Promise<Response> =>
  withWork(house, arrival, (work) => serve(work, arrival))

async function serve(work: Work, arrival: Arrival): Promise<Response> {
  const { house, call, over } = work
  const { context, body, received } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const { dialect } = surfaceOf(arrival.surface)
  const prepared =
    received === undefined
      ? prepare(dialect, arrival.operation, body, arrival.request)
      : prepareForm(dialect, received, arrival.request)
  const { model: modelAsked, stream, preferences } = prepared.facts
  call.modelAsked = modelAsked
  call.stream = stream
  if (preferences !== undefined) call.fallbacks = preferences.models
  call.clock.enter('route')
  const { names } = prepared.facts
  const kept = names === undefined ? undefined : await findKept(house, context, names)
  const wish = wishOf(call, prepared.facts, kept)
  const world = captureWorld(house, context, wish.session)
  const attemptsMax = attemptsMaxOf(call)
  if (call.explain !== null) call.ranks = new RankBook()
  const plan = route(world, wish, call.ranks ?? undefined)
  call.model = plan.model
  call.router = plan.router ?? null
  call.skips = plan.skips
  if (wish.session !== undefined) call.session = { id: wish.session, places: world.sticky }
  refuseEmptyPlan(plan, world.nowMs)
  call.clock.enter('hold')
  const held = withHistory(prepared, kept)
  const reservation = reserve(house, call, context, plan, held)
  call.plan = reservation.candidates
  if (reservation.skips.length > 0) call.skips = [...plan.skips, ...reservation.skips]
  const guard = guardHold(house, call, reservation.open)
  const end = (ending: Ending) => settle(house, call, held, context.key.budgets, ending)
  const endWithHold = (ending: Ending) => settleWithHold(house, call, held, ending)
  try {
    call.clock.enter('wait')
    const dispatching = dispatch(house, call, {
      candidates: reservation.candidates,
      prepared,
      model: plan.model,
      attemptsMax,
      keptWith: kept?.place?.credential,
    })
    const dispatched = prepared.facts.stream
      ? await beforeHeartbeat(house, call, dispatching, guard)
      : await dispatching
    const delivery = {
      prepared,
      context,
      open: reservation.open,
      guard,
      settle: end,
      settleWithHold: endWithHold,
      over,
    }
    if (dispatched === null) return deliverOpen(house, call, dispatching, delivery)
    call.clock.post()
    return await deliver(house, call, dispatched, delivery)
  } catch (thrown) {
    const settled = end({ kind: 'voided', reason: 'no_answer' }) // changes nothing when it has ended already
    return refused(work, asGatewayError(thrown), settled)
  }
}

/** With the tokens of what a request goes on from, which its body does not show. They are for the hold alone: how long a prompt may be is for its provider to say. */
function withHistory(prepared: PreparedRequest, kept: KeptFor | undefined): PreparedRequest {
  if (kept === undefined || kept.tokens === 0) return prepared
  const { facts } = prepared
  return { ...prepared, facts: { ...facts, promptMediaUnits: facts.promptMediaUnits + kept.tokens } }
}
