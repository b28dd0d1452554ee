import type { AccountContext, DialectName, GatewayError } from '../domain/index.ts'
import type { Settled } from '../ledger/index.ts'
import { admit } from './admit.ts'
import { asGatewayError, errorAnswer, plainAnswer } from './answer.ts'
import { authenticate, recognise } from './authenticate.ts'
import { type Arrival, type Call, openCall } from './call.ts'
import { conclude } from './conclude.ts'
import { dispatch } from './dispatch/index.ts'
import { guardHold } from './hold-guard.ts'
import type { House } from './house.ts'
import { prepare } from './prepare.ts'
import { receiveBody, receiveHead } from './receive.ts'
import { deliver } from './relay/index.ts'
import { reserve } from './reserve.ts'
import { refuseEmptyPlan, route } from './route/index.ts'
import { settle } from './settle.ts'
import { warm } from './warm.ts'

/**
 * One inference request from its head to its settlement: this file is the order of the verbs. The answer is returned at the first content or
 * at the final error; settlement and record follow when the stream ends, breaks or is cancelled, and draining waits for that.
 */
export async function run(house: House, arrival: Arrival, dialect: DialectName): Promise<Response> {
  const call = openCall(house, arrival)
  const work = Promise.withResolvers<void>()
  house.traffic.add(call.requestId, work.promise)
  try {
    return await serve(house, call, arrival, dialect, work.resolve)
  } catch (thrown) {
    return refuse(house, call, dialect, asGatewayError(thrown), null, work.resolve)
  }
}

async function serve(
  house: House,
  call: Call,
  arrival: Arrival,
  dialect: DialectName,
  done: () => void,
): Promise<Response> {
  const { context, body } = await enter(house, call, arrival)
  call.clock.enter('prep')
  const prepared = prepare(dialect, arrival.operation, body)
  call.modelAsked = prepared.facts.model
  call.stream = prepared.facts.stream
  call.clock.enter('route')
  const plan = route({ catalogue: house.catalogue(), context }, { model: prepared.facts.model })
  call.model = plan.model
  call.skips = plan.skips
  refuseEmptyPlan(plan)
  call.clock.enter('hold')
  const reservation = reserve(house, call, context, plan, prepared)
  call.skips = [...plan.skips, ...reservation.skips]
  const guard = guardHold(house, call, reservation.open)
  try {
    call.clock.enter('wait')
    const end = await dispatch(house, call, { candidates: reservation.candidates, prepared, model: plan.model })
    call.clock.post()
    return await deliver(house, call, end, {
      prepared,
      guard,
      settle: (ending) => settle(house, call, prepared, ending),
      done,
    })
  } catch (thrown) {
    const settled = settle(house, call, prepared, { kind: 'voided', reason: 'no_answer' }) // changes nothing when it has ended already
    return refuse(house, call, dialect, asGatewayError(thrown), settled, done)
  }
}

/** An operation that only reads: the same door, no money. `answer` makes the body for whom it is. */
export async function runListing(
  house: House,
  arrival: Arrival,
  dialect: DialectName,
  answer: (context: AccountContext) => Uint8Array,
): Promise<Response> {
  const call = openCall(house, arrival)
  const work = Promise.withResolvers<void>()
  house.traffic.add(call.requestId, work.promise)
  try {
    const { context } = await enter(house, call, arrival)
    call.clock.enter('prep')
    const body = answer(context)
    call.clock.post()
    const timing = call.clock.read()
    conclude(house, call, { status: 200, error: null, timing, settled: null })
    work.resolve()
    return plainAnswer(call, timing, body)
  } catch (thrown) {
    return refuse(house, call, dialect, asGatewayError(thrown), null, work.resolve)
  }
}

/** receive, authenticate, admit: what every operation begins with. */
async function enter(
  house: House,
  call: Call,
  arrival: Arrival,
): Promise<{ context: AccountContext; body: Uint8Array }> {
  const head = receiveHead(house, call)
  const recognition = recognise(house, head.secrets, arrival.remoteAddress)
  warm(house, recognition)
  arrival.liftIdleLimit()
  const body = await receiveBody(house, call, head, recognition.kind === 'known' ? null : recognition.principal)
  call.clock.enter('auth')
  const principal = await authenticate(house, head.secrets, recognition, arrival.remoteAddress)
  call.keyId = principal.key.id
  call.clock.enter('ctx')
  const context = await admit(house, principal)
  call.accountId = context.account.id
  return { context, body }
}

function refuse(
  house: House,
  call: Call,
  dialect: DialectName,
  error: GatewayError,
  settled: Settled | null,
  done: () => void,
): Response {
  call.clock.post()
  const timing = call.clock.read()
  conclude(house, call, { status: error.status, error, timing, settled })
  done()
  return errorAnswer(call, timing, dialect, error)
}
