import { USAGE_KINDS } from '../../src/domain/index.ts'
import type { SettlementView, UsageAnswer, UsageKey, UsageQuery, UsageRow } from '../../src/store/index.ts'

/** Names by id, of accounts and keys. */
export interface UsageNames {
  account(id: string): string | null
  key(id: string): string | null
}

/** What usage comes to, as plainly as it can be said: the model that the real sums are held against, and the double's answer. */
export function usageModel(settlements: Iterable<SettlementView>, query: UsageQuery, names: UsageNames): UsageAnswer {
  const { by, sinceMs, untilMs, accountId, keyId } = query
  const inTime = [...settlements].filter(({ endedAtMs }) => endedAtMs >= sinceMs && endedAtMs < untilMs)
  const chosen = inTime
    .filter((row) => accountId === null || row.accountId === accountId)
    .filter((row) => keyId === null || row.keyId === keyId)
  const groups = Map.groupBy(chosen, (row) => JSON.stringify(by.map((key) => keyOf(row, key))))
  const rows = [...groups.values()].map((rows) => sumOf(rows, by, names))
  return { kind: 'rows', rows: rows.sort((one, other) => (sortable(one) < sortable(other) ? -1 : 1)) }
}

function keyOf(row: SettlementView, key: UsageKey): string | null {
  switch (key) {
    case 'account':
      return row.accountId
    case 'key':
      return row.keyId
    case 'model':
      return row.covered === null ? null : row.covered.offer.slice(row.covered.backend.length + 1)
    case 'backend':
      return row.covered?.backend ?? null
    case 'owner':
      return row.covered === null ? null : row.covered.credential === undefined ? 'operator' : 'account'
    case 'day':
      return new Date(row.endedAtMs).toISOString().slice(0, 10)
  }
}

function sumOf(rows: readonly SettlementView[], by: readonly UsageKey[], names: UsageNames): UsageRow {
  const sum = (of: (row: SettlementView) => number) => rows.reduce((total, row) => total + BigInt(of(row)), 0n)
  const first = rows[0]
  if (first === undefined) throw new Error('a group has a row')
  const units = USAGE_KINDS.map((kind) => [kind, sum(({ usage }) => usage[kind] ?? 0)])
  return {
    keys: by.map((key) => keyOf(first, key)),
    accountName: by.includes('account') ? names.account(first.accountId) : null,
    keyName: by.includes('key') ? names.key(first.keyId) : null,
    requests: BigInt(rows.length),
    voided: sum(({ end }) => (end === 'voided' ? 1 : 0)),
    units: Object.fromEntries(units),
    cost: sum(({ cost }) => cost),
    charged: sum(({ charged }) => charged),
    overrun: sum(({ overrun }) => overrun),
    expense: sum(({ expense }) => expense),
    absorbed: 0n,
  }
}

/** Null comes last; keys are ids, days and names of models without such characters. */
const sortable = ({ keys }: UsageRow): string => keys.map((key) => key ?? '\uffff').join('\u0000')
