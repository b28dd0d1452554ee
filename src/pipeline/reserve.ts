import type { AccountContext, RoutePlan } from '../domain/index.ts'
import { affordable } from './affordable.ts'
import type { Call } from './call.ts'
import type { AffordableCandidate, PreparedRequest, Reservation } from './handover.ts'
import type { House } from './house.ts'
import { limitError } from './limit-error.ts'
import { insufficient, meansOf } from './means.ts'

/**
 * Walks the plan and sets money aside for the dearest candidate that stays, in this tick. A candidate whose first step exceeds what the account
 * or the key's budget leaves is skipped (`unaffordable`). Throws 402 when none stays, 429 when the key's tokens per minute do not allow the
 * request, 503 while the ledger's writer refuses.
 */
export function reserve(
  house: House,
  call: Call,
  context: AccountContext,
  plan: RoutePlan,
  prepared: PreparedRequest,
): Reservation {
  const means = meansOf(house, context)
  const { candidates, skips, amount, cheapestNeeded } = affordable(house, call.settings, plan, prepared.facts, means)
  if (candidates.length === 0) throw insufficient(means, cheapestNeeded)
  takeTokens(call, candidates, prepared)
  const { account, key } = context
  const covers = candidates.map(({ covered }) => covered)
  const open = house.ledger.hold({ requestId: call.requestId, accountId: account.id, keyId: key.id, amount, covers })
  if (open === null) throw insufficient(means, amount)
  return { open, candidates, skips }
}

/**
 * Counts an estimate against the key's tokens per minute: the prompt and the limit that the caller names for each choice; without one, what is
 * reserved for an answer, as far as the limit goes.
 */
function takeTokens(call: Call, candidates: readonly AffordableCandidate[], { facts }: PreparedRequest): void {
  if (call.admission === null) return
  let prompt = 0
  let outputMax = 0
  for (const { covered, offer } of candidates) {
    prompt = Math.max(prompt, covered.promptUnits)
    outputMax = Math.max(outputMax, offer.outputTokensMax ?? Number.POSITIVE_INFINITY)
  }
  const { choices, outputLimit } = facts
  const whole = prompt + choices * Math.min(outputLimit ?? call.settings.money.outputReserveTokens, outputMax)
  const refusal = call.admission.takeTokens(outputLimit === null ? prompt : whole, whole)
  if (refusal !== null) throw limitError(refusal, call.arrival.surface)
}
