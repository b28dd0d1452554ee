import type { Money } from './money.ts'
import { DEFAULT_POLICY, type Policy, type PolicyChange } from './policy.ts'

/** What a key may do: null is without that bound. */
export interface KeyTerms {
  /** It is refused for now. */
  readonly disabled: boolean
  /** Models the key may use, by id. */
  readonly models: readonly string[] | null
  /** From then on the key is as unknown. */
  readonly expiresAtMs: number | null
  /** Address ranges it may be used from, in CIDR notation. */
  readonly addresses: readonly string[] | null
  /** Null when none is set. */
  readonly budgets: KeyBudgets | null
  /** Null when none is set. */
  readonly limits: KeyLimits | null
  readonly policy: Policy
}

/** The most that a key's requests may be charged: for good, and in each UTC day, week from Monday, and month. */
export interface KeyBudgets {
  readonly total: Money | null
  readonly day: Money | null
  readonly week: Money | null
  readonly month: Money | null
}

export type BudgetName = keyof KeyBudgets

/** Bounds on rate and concurrency. */
export interface KeyLimits {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  /** Requests in progress at once. */
  readonly concurrency: number | null
}

/** A change of terms: what is absent stays; null takes the bound away. */
export interface KeyTermsChange extends Partial<Omit<KeyTerms, 'budgets' | 'limits' | 'policy'>> {
  readonly budgets?: Partial<KeyBudgets>
  readonly limits?: Partial<KeyLimits>
  readonly policy?: PolicyChange
}

/** The terms of a new key: it may do all that its account may. */
export const NO_LIMITS: KeyTerms = {
  disabled: false,
  models: null,
  expiresAtMs: null,
  addresses: null,
  budgets: null,
  limits: null,
  policy: DEFAULT_POLICY,
}

/** The terms with a change laid over them. */
export const changedTerms = (old: KeyTerms, change: KeyTermsChange): KeyTerms => ({
  disabled: change.disabled ?? old.disabled,
  models: change.models === undefined ? old.models : change.models,
  expiresAtMs: change.expiresAtMs === undefined ? old.expiresAtMs : change.expiresAtMs,
  addresses: change.addresses === undefined ? old.addresses : change.addresses,
  budgets: budgetsOrNull({ ...NO_BUDGETS, ...old.budgets, ...change.budgets }),
  limits: limitsOrNull({ ...NO_RATES, ...old.limits, ...change.limits }),
  policy: { ...old.policy, ...change.policy },
})

const NO_BUDGETS: KeyBudgets = { total: null, day: null, week: null, month: null }
const NO_RATES: KeyLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrency: null }

/** Null for budgets of which none is set. */
export const budgetsOrNull = (budgets: KeyBudgets): KeyBudgets | null =>
  Object.values(budgets).every((budget) => budget === null) ? null : budgets

/** Null for limits of which none is set. */
export const limitsOrNull = (limits: KeyLimits): KeyLimits | null =>
  Object.values(limits).every((limit) => limit === null) ? null : limits
