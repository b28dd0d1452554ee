import type { RequestFacts } from '../dialects/index.ts'
import {
  type AccountContext,
  type Candidate,
  type CoveredOffer,
  larger,
  type Money,
  type Price,
  priceAt,
  type RoutePlan,
  type Skip,
  ZERO,
} from '../domain/index.ts'
import { firstStep, promptUnits } from '../ledger/index.ts'
import type { Call } from './call.ts'
import type { AffordableCandidate, PreparedRequest, Reservation } from './handover.ts'
import type { House } from './house.ts'
import { limitError } from './limit-error.ts'
import { insufficient, type Means, meansOf, unaffordable } from './means.ts'
import { skipOf } from './skip-of.ts'

const FREE = { input: 0, output: 0 }

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
  const { candidates, skips, amount, cheapestNeeded } = walk(house, call, plan, prepared, means)
  if (candidates.length === 0) throw insufficient(means, cheapestNeeded)
  takeTokens(call, candidates, prepared)
  const { account, key } = context
  const covers = candidates.map(({ covered }) => covered)
  const open = house.ledger.hold({ requestId: call.requestId, accountId: account.id, keyId: key.id, amount, covers })
  if (open === null) throw insufficient(means, amount)
  return { open, candidates, skips }
}

interface Walked {
  readonly candidates: readonly AffordableCandidate[]
  readonly skips: readonly Skip[]
  /** The dearest first step of all that stay. */
  readonly amount: Money
  /** Of those that are passed over. */
  readonly cheapestNeeded: Money | null
}

function walk(house: House, call: Call, plan: RoutePlan, { facts }: PreparedRequest, means: Means): Walked {
  const { money: settings } = call.settings
  const nowMs = house.clock.wallMs()
  const candidates: AffordableCandidate[] = []
  const skips: Skip[] = []
  let amount = ZERO
  let cheapestNeeded: Money | null = null
  for (const candidate of plan.candidates) {
    const { offer, own } = candidate
    const units = promptUnits(facts, house.bytesPerToken.of(offer.id))
    const feeBps = own === undefined ? undefined : settings.byokFeeBps
    const isCharged = feeBps !== 0 && facts.isFree === undefined
    const price = isCharged && offer.price !== null ? priceAt(offer.price, nowMs) : null
    const available = price === null ? null : means.available // without a price nothing is charged
    const terms = { price, outputTokensMax: offer.outputTokensMax }
    const asked = { request: facts, promptUnits: units, offer: terms, settings, available }
    const step = firstStep(feeBps === undefined ? asked : { ...asked, feeBps })
    if (step.kind === 'unaffordable') {
      const reason = unaffordable(means, step.needed)
      skips.push(skipOf(candidate, 'unaffordable', { reason }))
      cheapestNeeded = cheapestNeeded === null || step.needed < cheapestNeeded ? step.needed : cheapestNeeded
      continue
    }
    amount = larger(amount, step.amount)
    const covered = coveredOf(candidate, { price, promptUnits: units, facts, nowMs, feeBps })
    candidates.push({ ...candidate, covered, outputLimit: step.outputLimit })
  }
  return { candidates, skips, amount, cheapestNeeded }
}

interface Terms {
  /** Null: nothing is charged. */
  readonly price: Price | null
  readonly promptUnits: number
  readonly facts: Pick<RequestFacts, 'asked' | 'isFree'>
  readonly nowMs: number
  /** Of an own credential. */
  readonly feeBps: number | undefined
}

/** The provider bills the account itself for what its own credential is used for: the operator takes a fee at most. Nobody is billed for what is free. */
function coveredOf(candidate: Candidate, terms: Terms): CoveredOffer {
  const { offer } = candidate
  const { promptUnits, facts } = terms
  const covered = { offer: offer.id, backend: offer.backend.id, promptUnits, ...pricesOf(candidate, terms) }
  return facts.asked === undefined ? covered : { ...covered, asked: facts.asked }
}

type Prices = Pick<CoveredOffer, 'price' | 'cost' | 'credential' | 'feeBps'>

function pricesOf({ offer, own }: Candidate, { price, facts, nowMs, feeBps = 0 }: Terms): Prices {
  if (own !== undefined && price !== null) return { price, cost: FREE, credential: own.id, feeBps }
  if (own !== undefined) return { price: FREE, cost: FREE, credential: own.id }
  if (facts.isFree) return { price: FREE, cost: FREE }
  return { price: price ?? FREE, cost: offer.cost === null ? null : priceAt(offer.cost, nowMs) }
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
