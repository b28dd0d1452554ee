import type { RequestFacts } from '../dialects/index.ts'
import {
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
import type { AffordableCandidate } from './handover.ts'
import type { House, PipelineSettings } from './house.ts'
import { type Means, unaffordable } from './means.ts'
import { skipOf } from './skip-of.ts'

/** What of a plan an account can pay. */
export interface Affordable {
  readonly candidates: readonly AffordableCandidate[]
  readonly skips: readonly Skip[]
  /** The dearest first step of all that stay. */
  readonly amount: Money
  /** Of those that are passed over. */
  readonly cheapestNeeded: Money | null
}

/** Walks a plan: who needs more for its first step than these means leave is passed over (`unaffordable`). Changes nothing. */
export function affordable(
  house: Pick<House, 'bytesPerToken' | 'clock'>,
  { money: settings }: Pick<PipelineSettings, 'money'>,
  plan: RoutePlan,
  facts: RequestFacts,
  means: Means,
): Affordable {
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

const FREE = { input: 0, output: 0 }
