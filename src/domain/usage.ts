/**
 * What an answer consumed, in units per kind, normalised by the dialect: the kinds do not overlap.
 * `input` counts uncached prompt tokens only; `output` leaves out reasoning tokens.
 */
export interface Usage {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** Who counted: the provider, our estimate, or recovery after a crash. */
export type UsageSource = 'reported' | 'estimate' | 'recovered'

export const NO_USAGE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 }

/** All tokens of the prompt. */
export const promptTokens = (usage: Usage): number => usage.input + usage.cachedInput + usage.cacheWrite

/** All tokens of the answer. */
export const completionTokens = (usage: Usage): number => usage.output + usage.reasoning
