import type { Settled } from '../ledger/index.ts'
import { type Arrival, type Call, openCall } from './call.ts'
import type { House } from './house.ts'

/** One call in progress, and how it is told to be over. */
export interface Work {
  readonly house: House
  readonly call: Call
  /** The request is over once this settlement is on disk (null: there is none). Draining waits for that. */
  over(settled: Settled | null): void
}

/** Opens a call and registers it with what is in progress. */
export function beginWork(house: House, arrival: Arrival): Work {
  const call = openCall(house, arrival)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  house.traffic.add(call.requestId, promise, call)
  return {
    house,
    call,
    over(settled) {
      call.admission?.end()
      resolve(settled === null ? false : settled.durable.then(() => true))
    },
  }
}
