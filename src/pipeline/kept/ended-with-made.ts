import { GatewayError, type KeptPlace } from '../../domain/index.ts'
import { ended } from '../ended.ts'
import type { Work } from '../work.ts'
import type { KeeperAnswer } from './ask-keeper.ts'
import { keepTold, objectIn, toldThing } from './told-thing.ts'

/** Ends a request by which a provider has made something: with what it says of that, which is known from then on. Throws where it names no id. */
export async function endedWithMade(
  work: Work,
  kind: 'file' | 'batch',
  place: KeptPlace,
  answer: KeeperAnswer,
): Promise<Response> {
  const { house, call } = work
  call.clock.post()
  const body = answer.kind === 'whole' ? answer.body : NOTHING
  const told = objectIn(body)
  const thing = told === null ? null : toldThing(work, kind, place, told)
  if (thing === null)
    throw new GatewayError('provider_failed', `The provider did not say what it keeps the ${kind} as.`)
  await keepTold(house, call, [thing])
  return ended(work, body)
}

const NOTHING = new Uint8Array(0)
