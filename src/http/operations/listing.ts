import type { AccountContext } from '../../domain/index.ts'
import { type Arrival, type House, runListing } from '../../pipeline/index.ts'
import type { Operation } from './operation.ts'

/** What is told, for whom it is; null: for who shows no key. */
type Told = (house: House, context: AccountContext | null, arrival: Arrival) => object

/** Serves what only reads, as JSON. `anybody`: under OpenRouter's prefix no key is needed. */
export const listing =
  (told: Told, readers: 'anybody' | 'key' = 'anybody'): Operation['serve'] =>
  (house, arrival) =>
    runListing(house, arrival, {
      isPublic: readers === 'anybody' && arrival.surface === 'openrouter',
      answer: (context) => new TextEncoder().encode(JSON.stringify(told(house, context, arrival))),
    })
