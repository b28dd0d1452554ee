import { type CoveredOffer, NO_USAGE, type Usage } from '../domain/index.ts'
import { outputUnits } from '../ledger/index.ts'
import type { House } from './house.ts'

/** What is billed where the provider reports no usage: the prompt as it was reckoned, and the UTF-8 bytes of text of the answer. */
export function estimatedUsage(house: House, { offer, promptUnits }: CoveredOffer, textBytes: number): Usage {
  return { ...NO_USAGE, input: promptUnits, output: outputUnits(textBytes, house.bytesPerToken.of(offer)) }
}
