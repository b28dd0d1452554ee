import type { StreamEvent } from '../../../../src/dialects/index.ts'
import { type AttemptEnd, runAttempt } from '../../../../src/pipeline/dispatch/attempt.ts'
import type { LiveObserver } from '../../../../src/pipeline/handover.ts'
import { createHouseDouble, type HouseSpec } from '../../../support/house.ts'
import { callAt, candidatesOf, preparedOf } from '../support.ts'

export const SSE_HEAD = { status: 200, headers: { 'content-type': 'text/event-stream' } }

interface AttemptSpec extends HouseSpec {
  readonly outputLimit?: number | null
  readonly arrivedMsAgo?: number
  readonly leftBefore?: boolean
}

/** One attempt at the backend `north`, sent; its disposal gives the slot back, which checks that the exchange is over. */
export function attempt(
  fields: object = {},
  { outputLimit = null, arrivedMsAgo = 0, leftBefore = false, ...spec }: AttemptSpec = {},
) {
  const world = createHouseDouble(spec)
  const caller = callAt(world)
  world.clock.advance(arrivedMsAgo)
  if (leftBefore) caller.leave()
  const [candidate] = candidatesOf(world, outputLimit)
  const agent = world.agent('north')
  const slot = agent.take()
  if (candidate === undefined || slot === null) throw new Error('nothing to send with')
  const credential = candidate.offer.backend.provider.credentials[0] ?? null
  const plan = { candidate, prepared: preparedOf(fields), credential, slot }
  const { ended } = runAttempt(world.house, caller.call, plan)
  const [exchange] = agent.exchanges
  if (exchange === undefined) throw new Error('nothing was sent')
  return {
    ...caller,
    world,
    exchange,
    ended,
    plan,
    async [Symbol.asyncDispose]() {
      caller.leave() // where it waits still
      exchange.abort() // where it is the relay's
      agent.release(slot)
      await world[Symbol.asyncDispose]()
    },
  }
}

/** The same, for a stream. */
export const stream = (spec?: AttemptSpec) => attempt({ stream: true }, spec)

/** Its outcome, when it came to one. */
export const outcomeOf = (end: AttemptEnd) => (end.kind === 'ended' ? end.outcome : end.kind)

/** Writes down what a relay is told. */
export function listener(onEvents: () => void = () => {}): LiveObserver & { readonly told: string[] } {
  const told: string[] = []
  return {
    told,
    events(events: readonly StreamEvent[]) {
      told.push(events.map(({ bytes }) => /"content":"(\w*)"/.exec(Buffer.from(bytes).toString())?.[1] ?? '').join('+'))
      onEvents()
    },
    end: () => told.push('end'),
    broken: (reason) => told.push(`broken ${reason}`),
  }
}

/** The stream at its commit point. */
export async function live(made: ReturnType<typeof stream>) {
  const end = await made.ended
  if (end.kind !== 'streaming') throw new Error(`it is ${end.kind}`)
  return end.live
}
