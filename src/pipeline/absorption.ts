import { type AttemptRecord, costOf, estimateOf } from '../domain/index.ts'
import type { Call } from './call.ts'
import type { AffordableCandidate, PreparedRequest } from './handover.ts'

/** What was sent, and to whom. */
export interface SentAttempt {
  readonly candidate: Pick<AffordableCandidate, 'covered' | 'offer'>
  readonly facts: Pick<PreparedRequest['facts'], 'choices' | 'outputLimit'>
}

/** The provider may have done it without serving: then it may bill the prompt and the longest answer that was to be expected. */
export function absorption(
  { settings }: Call,
  { candidate: { covered, offer }, facts }: SentAttempt,
  absorbed: boolean,
): Pick<AttemptRecord, 'absorbed' | 'possibleCost'> {
  if (!absorbed || covered.cost === null) return { absorbed }
  const expected = facts.outputLimit ?? settings.money.outputReserveTokens
  const outputTokens = Math.min(expected, offer.outputTokensMax ?? Number.POSITIVE_INFINITY) * facts.choices
  const usage = estimateOf(covered, Math.min(outputTokens, OUTPUT_TOKENS_MAX))
  return { absorbed, possibleCost: costOf(usage, covered.cost) }
}

const OUTPUT_TOKENS_MAX = 1_000_000_000 // what a caller asks for may be any number

/** Whether its caller, who left before any content, pays the prompt of what was sent whole. Who was sent away pays nothing. */
export const paysPrompt = ({ leave, settings }: Call): boolean =>
  leave.reason === 'client' && settings.money.beforeContent === 'prompt'
