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
  const { traffic } = house
  const { requestId } = call
  traffic.add(requestId, call)
  return {
    house,
    call,
    over(settled) {
      call.admission?.end()
      call.upload?.cancel()
      call.place?.giveBack()
      if (settled === null) traffic.end(requestId, false)
      else
        settled.durable.then(
          () => traffic.end(requestId, true),
          () => traffic.end(requestId, false),
        )
    },
  }
}
