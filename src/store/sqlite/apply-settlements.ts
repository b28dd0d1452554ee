import { add, dayOf, type Money, negate, ZERO } from '../../domain/index.ts'
import type { SettlementRow } from '../contract.ts'
import type { LedgerStatements } from './ledger-statements.ts'

/**
 * Writes settlements inside the caller's transaction: one update of the balance per account and of what was spent per key and day, however
 * many requests end. One that is on disk already changes nothing.
 */
export function applySettlements(statements: LedgerStatements, rows: readonly SettlementRow[]): void {
  const charged = new Map<string, Money>()
  const spent = new Map<string, Map<number, Money>>()
  for (const row of rows) {
    if (!statements.insertSettlement(row) || row.charged === 0) continue
    charged.set(row.accountId, add(charged.get(row.accountId) ?? ZERO, row.charged))
    const days = spent.get(row.keyId) ?? new Map<number, Money>()
    const day = dayOf(row.heldAtMs)
    spent.set(row.keyId, days.set(day, add(days.get(day) ?? ZERO, row.charged)))
  }
  for (const [accountId, amount] of charged) statements.addToBalance(accountId, negate(amount))
  for (const [keyId, days] of spent) for (const [day, amount] of days) statements.addToSpend(keyId, day, amount)
}
