import { type CoveredOffer, estimateOf, type Usage } from '../domain/index.ts'
import { outputUnits } from '../ledger/index.ts'
import type { House } from './house.ts'

/**
 * What is billed where the provider reports no usage of the whole: the prompt as it told it (`prompt`), else as it was reckoned, and the UTF-8 bytes
 * of text of the answer.
 */
export function estimatedUsage(
  house: House,
  covered: CoveredOffer,
  textBytes: number,
  prompt: Usage | null = null,
): Usage {
  const estimate = estimateOf(covered, outputUnits(textBytes, house.bytesPerToken.of(covered.offer)))
  return prompt === null ? estimate : { ...estimate, ...prompt, output: estimate.output }
}
