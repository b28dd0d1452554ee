import { type BudgetName, formatUsd, type KeyTermsChange } from '../domain/index.ts'

/** A change of terms for the audit: what is named of it, by the names of the admin API. */
export function termsDetails({ models, expiresAtMs, addresses, budgets = {}, limits = {} }: KeyTermsChange): object {
  const amounts = (['total', 'day', 'week', 'month'] as const satisfies readonly BudgetName[]).map((name) => {
    const budget = budgets[name]
    return [`budget_${name}_usd`, budget === null || budget === undefined ? budget : formatUsd(budget)] as const
  })
  const all = [
    ['models', models],
    ['expires_at_ms', expiresAtMs],
    ['addresses', addresses],
    ...amounts,
    ['requests_per_minute', limits.requestsPerMinute],
    ['tokens_per_minute', limits.tokensPerMinute],
    ['concurrency', limits.concurrency],
  ] as const
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}
