import type { UsageKey } from '../backends-contract.ts'

/**
 * What is summed up: the column of the roll-ups, and what it is the sum of in a settlement. Kinds of units that few requests have
 * (`units_more`) are summed up apart: a row for each.
 */
export const SUMMED = {
  requests: { column: 'requests', of: '1' },
  voided: { column: 'voided', of: `ending = 'voided'` },
  input: { column: 'units_input', of: 'units_input' },
  cachedInput: { column: 'units_cached_input', of: 'units_cached_input' },
  cacheWrite: { column: 'units_cache_write', of: 'units_cache_write' },
  output: { column: 'units_output', of: 'units_output' },
  reasoning: { column: 'units_reasoning', of: 'units_reasoning' },
  cost: { column: 'cost', of: 'cost' },
  charged: { column: 'charged', of: 'charged' },
  overrun: { column: 'overrun', of: 'overrun' },
  expense: { column: 'expense', of: 'expense' },
} as const

/** What usage is grouped by, each as it is found in a settlement: ids, days since 1970, NULL where nobody served. */
export const KEY_OF_SETTLEMENT: Readonly<Record<UsageKey, string>> = {
  account: 'account_id',
  key: 'key_id',
  // An offer's id is its backend, a slash, and the model.
  model: 'substr(offer, length(backend) + 2)',
  backend: 'backend',
  // Found as text, which costs a tenth of parsing it: nothing else in there is called so.
  owner: `CASE WHEN prices IS NULL THEN NULL WHEN instr(prices, '"credential":') = 0 THEN 'operator' ELSE 'account' END`,
  day: 'ended_at_ms / 86400000',
}

export type Summed = keyof typeof SUMMED
export const SUMMED_NAMES = Object.keys(SUMMED) as readonly Summed[] // its own names

/** Of so many settlements no sum of amounts (2^53) leaves SQLite's integers (2^63). */
export const SETTLEMENTS_AT_ONCE = 1000

/** Where a sum of the roll-ups stays: SQLite's largest integer. */
export const SUM_MAX = 9_223_372_036_854_775_807n
