import { completionTokens, type Usage } from '../domain/index.ts'
import { outputUnits } from '../ledger/index.ts'
import type { House } from './house.ts'

/** How many tokens an answer has: as reported, else by its UTF-8 bytes of text. */
export function answerTokens(
  { bytesPerToken }: Pick<House, 'bytesPerToken'>,
  offer: string,
  { usage, textBytes }: { readonly usage: Usage | null; readonly textBytes: number },
): number {
  return usage === null ? outputUnits(textBytes, bytesPerToken.of(offer)) : completionTokens(usage)
}
