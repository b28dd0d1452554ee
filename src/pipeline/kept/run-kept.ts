import { renamedModel } from '../../dialects/index.ts'
import { GatewayError, type StoredKind, type StoredThing } from '../../domain/index.ts'
import { admitRequest } from '../admit.ts'
import type { Arrival } from '../call.ts'
import { mediaTypeOf } from '../dispatch/body-kind.ts'
import { ended } from '../ended.ts'
import { enter } from '../enter.ts'
import type { House } from '../house.ts'
import { withWork } from '../with-work.ts'
import type { Work } from '../work.ts'
import { askKept, type KeptQuestion } from './ask-kept.ts'
import { notStored } from './not-stored.ts'
import { relayKept } from './relay-kept.ts'
import { keepToldAgain, objectIn, unwritten } from './told-thing.ts'

/** An operation on something that a provider keeps: who made it asks the backend that keeps it. Nothing of it is billed. */
export interface KeptOperation extends KeptQuestion {
  readonly kind: StoredKind
  readonly id: string
  /** What its answer changes of what is known: it is there no more; or this is what the provider says of it now. */
  readonly effect?: 'forget' | 'told'
}

/** Asks, for one caller. 404 for whatever the account did not make. */
export const runKept = (house: House, arrival: Arrival, operation: KeptOperation): Promise<Response> =>
  withWork(house, arrival, (work) => serve(work, arrival, operation))

async function serve(work: Work, arrival: Arrival, operation: KeptOperation): Promise<Response> {
  const { house, call } = work
  const { context } = await enter(work, arrival)
  admitRequest(house, call, context.key)
  call.clock.enter('prep')
  const thing = await house.stored.find(context.account.id, operation.id)
  if (thing === null || thing.kind !== operation.kind) throw notStored(operation)
  call.modelAsked = thing.model
  call.model = thing.model
  call.stream = operation.answer !== 'document'
  call.clock.enter('wait')
  const answer = await askKept(house, call, context, thing, operation).catch(async (error: unknown) => {
    if (operation.effect === 'forget' && isGone(error)) await forget(work, thing)
    throw error
  })
  call.clock.post()
  if (answer.kind === 'live') return relayKept(work, answer, thing, operation.answer === 'bytes')
  const body = operation.answer === 'bytes' ? answer.body : shown(answer.body, thing, operation)
  if (operation.effect !== undefined) await takeEffect(work, thing, operation.effect, body)
  return ended(work, body, mediaTypeOf(answer.head, 'application/json'))
}

/** Some servers answer a deletion with nothing (204): then it is said here. */
function shown(said: Uint8Array, { id, kind, model }: StoredThing, { effect }: KeptOperation): Uint8Array {
  const isBare = effect === 'forget' && said.length === 0
  const body = isBare ? Buffer.from(JSON.stringify({ id, object: kind, deleted: true })) : said
  const document = renamedModel(body, model)
  if (document === null) throw new GatewayError('provider_failed', 'The provider answered with what is no document.')
  return document
}

/** Its provider has it no more: it expired, or was deleted there. Who wants it deleted finds it in no list from now on. */
const isGone = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'provider_refused' && error.status === 404

const forget = ({ house, call }: Work, { accountId, id }: StoredThing): Promise<void> =>
  house.stored.forget(accountId, [id]).catch(unwritten(house, call))

async function takeEffect(work: Work, thing: StoredThing, effect: 'forget' | 'told', body: Uint8Array): Promise<void> {
  const { house, call } = work
  if (effect === 'forget') return forget(work, thing)
  const told = objectIn(body)
  if (told !== null) await keepToldAgain(house, call, thing, told)
}
