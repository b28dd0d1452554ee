import { isOwnPlace, promptTokens, type Usage } from '../domain/index.ts'
import type { PromptFacts } from './prompt-units.ts'

/** Bytes of text per token, of each offer, learned from the usage that providers report. */
export interface BytesPerToken {
  of(offerId: string): number
  /** One request with reported usage. Says nothing of short prompts and of prompts with media: see `observed`. */
  learn(offerId: string, facts: PromptFacts, usage: Usage): void
}

const START = 3
const FLOOR = 1.5
const CEILING = 6 // English prose has 4 to 5; more is repetition, which the next prompt need not have
const PERCENTILE = 0.1
const STEP = 0.05
const TEXT_BYTES_MIN = 256 // below, the fixed tokens of roles and templates outweigh the text

/**
 * Makes the learner. Each offer has one number, moved by every observation towards the 10th percentile of all: up by a tenth of a step
 * when the observation lies above, down by nine tenths when below, so that it rests where one in ten lies below (a running quantile by
 * stochastic approximation, Robbins & Monro 1951). No samples are kept.
 *
 * Why a low percentile: it takes bytes per token for fewer than they mostly are, so tokens for more. A hold then is rather too large, which costs
 * nobody anything, than too small, which is the operator's loss. The floor bounds how far a provider that counts oddly can drive holds up.
 */
export function createBytesPerToken(): BytesPerToken {
  const learned = new Map<string, number>()
  const of = (offerId: string): number => learned.get(offerId) ?? START
  return {
    of,
    learn(offerId, facts, usage) {
      const seen = observed(facts, usage)
      if (seen === null || isOwnPlace(offerId)) return // customers' places come and go: nothing is kept of them
      const now = of(offerId)
      const next = seen < now ? Math.max(seen, now - STEP * (1 - PERCENTILE)) : Math.min(seen, now + STEP * PERCENTILE)
      learned.set(offerId, Math.min(CEILING, Math.max(FLOOR, next)))
    },
  }
}

function observed({ promptTextBytes, promptMediaUnits }: PromptFacts, usage: Usage): number | null {
  const tokens = promptTokens(usage)
  if (promptMediaUnits > 0 || promptTextBytes < TEXT_BYTES_MIN || tokens === 0) return null
  return promptTextBytes / tokens
}
