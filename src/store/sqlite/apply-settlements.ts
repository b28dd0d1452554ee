import { add, dayOf, type Money, negate, ZERO } from '../../domain/index.ts'
import type { LedgerStatements } from './ledger-statements.ts'
import type { SettlementValues } from './settlement-values.ts'

/**
 * Writes settlements inside the caller's transaction, those whose holds may be on disk and those whose holds never were: one update of the balance
 * per account and of what was spent per key and day, however many requests end. One that is on disk already changes nothing.
 */
export function applySettlements(
  statements: LedgerStatements,
  held: readonly SettlementValues[],
  unheld: readonly SettlementValues[] = [],
): void {
  const sums = new Sums()
  for (const values of held) {
    if (!statements.insertSettlement(values)) continue
    statements.deleteHold(values[0])
    sums.add(values)
  }
  for (const values of unheld) if (statements.insertSettlement(values)) sums.add(values)
  sums.write(statements)
}

class Sums {
  readonly #charged = new Map<string, Money>()
  readonly #spent = new Map<string, Map<number, Money>>()

  add([, accountId, keyId, charged, heldAtMs]: SettlementValues): void {
    if (charged === 0) return
    this.#charged.set(accountId, add(this.#charged.get(accountId) ?? ZERO, charged))
    const days = this.#spent.get(keyId) ?? new Map<number, Money>()
    const day = dayOf(heldAtMs)
    this.#spent.set(keyId, days.set(day, add(days.get(day) ?? ZERO, charged)))
  }

  write(statements: LedgerStatements): void {
    for (const [accountId, amount] of this.#charged) statements.addToBalance(accountId, negate(amount))
    for (const [keyId, days] of this.#spent) for (const [day, amount] of days) statements.addToSpend(keyId, day, amount)
  }
}
