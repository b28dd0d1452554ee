import type { SQLQueryBindings } from 'bun:sqlite'
import { type CoveredOffer, furtherUnits, type Money, type Usage } from '../../domain/index.ts'
import type { SettlementRow } from '../contract.ts'

/** A settlement as it crosses to the writer thread and is bound there: values alone, in the order of `SETTLEMENT_COLUMNS`. */
export type SettlementValues = readonly [
  requestId: string,
  accountId: string,
  keyId: string,
  charged: Money,
  heldAtMs: number,
  ...others: SQLQueryBindings[],
]

export const SETTLEMENT_COLUMNS = [
  'request_id',
  'account_id',
  'key_id',
  'charged',
  'held_at_ms',
  'ending',
  'reason',
  'units_input',
  'units_cached_input',
  'units_cache_write',
  'units_output',
  'units_reasoning',
  'units_more',
  'usage_source',
  'offer',
  'backend',
  'prices',
  'cost',
  'overrun',
  'expense',
  'held',
  'ended_at_ms',
] as const

/** The values of a settlement's columns. */
export function settlementValues(row: SettlementRow): SettlementValues {
  const { usage, covered } = row
  return [
    row.requestId,
    row.accountId,
    row.keyId,
    row.charged,
    row.heldAtMs,
    row.end,
    row.reason,
    usage.input,
    usage.cachedInput,
    usage.cacheWrite,
    usage.output,
    usage.reasoning,
    moreOf(usage),
    row.usageSource,
    covered?.offer ?? null,
    covered?.backend ?? null,
    covered && pricesOf(covered),
    row.cost,
    row.overrun,
    row.expense,
    row.held,
    row.endedAtMs,
  ]
}

const pricesOf = ({ offer: _offer, backend: _backend, ...terms }: CoveredOffer): string => JSON.stringify(terms)

function moreOf(usage: Usage): string | null {
  const further = furtherUnits(usage)
  return further && JSON.stringify(further)
}
