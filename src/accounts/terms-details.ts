import {
  type AccountTermsChange,
  type BudgetName,
  formatUsd,
  type KeyTermsChange,
  type PolicyChange,
} from '../domain/index.ts'

/** A change of terms for the audit: what is named of it, by the names of the admin API. */
export function termsDetails({
  disabled,
  models,
  expiresAtMs,
  addresses,
  budgets = {},
  limits = {},
  policy = {},
}: KeyTermsChange): object {
  const amounts = (['total', 'day', 'week', 'month'] as const satisfies readonly BudgetName[]).map((name) => {
    const budget = budgets[name]
    return [`budget_${name}_usd`, budget === null || budget === undefined ? budget : formatUsd(budget)] as const
  })
  const all = [
    ['disabled', disabled],
    ['models', models],
    ['expires_at_ms', expiresAtMs],
    ['addresses', addresses],
    ...amounts,
    ['requests_per_minute', limits.requestsPerMinute],
    ['tokens_per_minute', limits.tokensPerMinute],
    ['concurrency', limits.concurrency],
    ...policyDetails(policy),
  ] as const
  return named(all)
}

/** The same of an account's. */
export const accountTermsDetails = ({ models, policy = {}, byokFallback, storeContent }: AccountTermsChange): object =>
  named([
    ['models', models],
    ['byok_fallback', byokFallback],
    ['store_content', storeContent],
    ...policyDetails(policy),
  ])

const policyDetails = (policy: PolicyChange) =>
  [
    ['allow_foreign', policy.allowForeign],
    ['regions', policy.regions],
    ['ownerships', policy.ownerships],
    ['zdr', policy.zeroRetention],
    ['allow_training', policy.allowTraining],
    ['only', policy.only],
    ['ignore', policy.ignore],
  ] as const

const named = (all: readonly (readonly [name: string, value: unknown])[]): object =>
  Object.fromEntries(all.filter(([, value]) => value !== undefined))
