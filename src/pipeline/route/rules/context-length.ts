import type { Filter } from '../rule.ts'

/** Drops offers whose context is too short for the prompt by any measure. What is close is for the provider to judge, which counts exactly. */
export const contextLength: Filter = {
  kind: 'filter',
  name: 'context-length',
  wish: 'context_length',
  applies: ({ request }) => request !== undefined,
  skip({ offer: { contextTokensMax } }, _, { request }) {
    const bytes = request?.longestTextBytes ?? request?.promptTextBytes ?? 0
    const leastTokens = Math.floor(bytes / BYTES_PER_TOKEN_MOST)
    if (contextTokensMax === null || leastTokens <= contextTokensMax) return null
    const reason = `the prompt has at least ${leastTokens} tokens, the context ${contextTokensMax}`
    return { reason }
  },
}

const BYTES_PER_TOKEN_MOST = 6 // English prose has 4 to 5
