import { type AccountContext, formatUsd, GatewayError, type Money } from '../domain/index.ts'
import type { BudgetLeft } from '../ledger/index.ts'
import type { House } from './house.ts'

/** The most that a request may hold, in this tick, and what sets that bound. */
export interface Means {
  /** Null: without a bound. */
  readonly available: Money | null
  /** The key's budget, when it leaves less than the account has. */
  readonly budget: BudgetLeft | null
}

/**
 * What an account and the budgets of its key leave for one more request, or for the rest of one that was held for at `heldAtMs`. An unmetered account
 * is bound by budgets alone.
 */
export function meansOf({ ledger }: Pick<House, 'ledger'>, { account, key }: AccountContext, heldAtMs?: number): Means {
  const available = account.kind === 'unmetered' ? null : ledger.funds(account.id).available
  const budget = key.budgets === null ? null : ledger.budgetLeft(key.id, key.budgets, heldAtMs)
  if (budget === null || (available !== null && available <= budget.left)) return { available, budget: null }
  return { available: budget.left, budget }
}

/** Why a candidate is passed over that needs more. */
export function unaffordable({ available, budget }: Means, needed: Money): string {
  const bound = `$${formatUsd(available ?? needed)}`
  const amount = `needs $${formatUsd(needed)}`
  return budget === null
    ? `${amount}, available ${bound}`
    : `${amount}, the key's ${budget.name} budget leaves ${bound}`
}

/** The 402 of a request that is more than its means; of a budget with the time at which its window is over. */
export function insufficient({ available, budget }: Means, needed: Money | null, what = 'this request'): GatewayError {
  const bound = available === null ? '' : `; $${formatUsd(available)} is ${budget === null ? 'available' : 'left'}`
  const amount = needed === null ? '' : ` It may cost up to $${formatUsd(needed)}${bound}.`
  if (budget === null) return new GatewayError('insufficient_credits', `Insufficient credits for ${what}.${amount}`)
  const resetsAt = budget.endsAtMs === null ? null : new Date(budget.endsAtMs).toISOString()
  const reset = resetsAt === null ? '' : ` It begins anew at ${resetsAt}.`
  return new GatewayError(
    'key_budget_exceeded',
    `The ${budget.name} budget of this key does not allow ${what}.${amount}${reset}`,
    { headers: { 'x-should-retry': 'false' }, extra: { budget: budget.name, resets_at: resetsAt } },
  )
}
