import { chargeFor, costOf, type Money, money, type Settlement, subtract, ZERO } from '../domain/index.ts'
import { assert } from '../lib/index.ts'

/** The amounts of a settlement. `cost`: what its price comes to, which is `charged + overrun`. */
export interface SettlementFigures {
  readonly cost: Money
  readonly charged: Money
  readonly overrun: Money
  /** What the provider bills the operator, as far as is known. */
  readonly expense: Money
}

/** What stands behind a settlement, in the moment before its hold is released. */
export interface Backing {
  readonly held: Money
  /** What account and budgets leave beside the hold; null: without a bound. */
  readonly available: Money | null
}

/**
 * What a request costs and what its account pays: at most hold + available, so that a request never makes a balance negative and never passes a
 * budget. The rest is the operator's loss. Nothing when voided. Throws `Bug` for a settlement without an offer.
 */
export function settlementFigures({ end, covered, usage }: Settlement, backing: Backing): SettlementFigures {
  if (end === 'voided') return { cost: ZERO, charged: ZERO, overrun: ZERO, expense: ZERO }
  assert(covered !== null, 'a settled request names the offer that served it')
  const cost = chargeFor(usage, covered)
  const charged =
    backing.available === null ? cost : money(Math.max(0, Math.min(cost, backing.held + backing.available)))
  const expense = covered.cost === null ? ZERO : costOf(usage, covered.cost)
  return { cost, charged, overrun: subtract(cost, charged), expense }
}
