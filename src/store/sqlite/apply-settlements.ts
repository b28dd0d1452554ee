import { add, dayOf, type Money, negate, ZERO } from '../../domain/index.ts'
import type { LedgerStatements } from './ledger-statements.ts'
import type { Charge } from './lots.ts'
import { SETTLEMENT_COLUMNS, type SettlementValues } from './settlement-values.ts'

/**
 * Writes settlements inside the caller's transaction, those whose holds may be on disk and those whose holds never were: one update of the balance
 * per account and of what was spent per key and day, however many requests end. One that is on disk already changes nothing.
 */
export function applySettlements(
  statements: LedgerStatements,
  held: readonly SettlementValues[],
  unheld: readonly SettlementValues[] = [],
): void {
  const sums = new Sums(statements.hasLots())
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

  /** By account; null while nobody has lots. */
  readonly #charges: Map<string, Charge[]> | null
  #endedAtMs = 0

  constructor(hasLots: boolean) {
    this.#charges = hasLots ? new Map() : null
  }

  add(values: SettlementValues): void {
    const [requestId, accountId, keyId, charged, heldAtMs] = values
    if (charged === 0) return
    const endedAtMs = values[ENDED_AT]
    // Not `Number(…)`: of a double it leaves the compiled code each time (JavaScriptCore takes it for a small integer, again and again).
    if (typeof endedAtMs === 'number' && endedAtMs > this.#endedAtMs) this.#endedAtMs = endedAtMs
    this.#charged.set(accountId, add(this.#charged.get(accountId) ?? ZERO, charged))
    if (this.#charges !== null) {
      const charges = this.#charges.get(accountId) ?? []
      charges.push({ requestId, charged, heldAtMs })
      this.#charges.set(accountId, charges)
    }
    const days = this.#spent.get(keyId) ?? new Map<number, Money>()
    const day = dayOf(heldAtMs)
    this.#spent.set(keyId, days.set(day, add(days.get(day) ?? ZERO, charged)))
  }

  write(statements: LedgerStatements): void {
    for (const [accountId, charges] of this.#charges ?? []) statements.useLots(accountId, charges)
    for (const [accountId, amount] of this.#charged) statements.addToBalance(accountId, negate(amount))
    for (const [keyId, days] of this.#spent) for (const [day, amount] of days) statements.addToSpend(keyId, day, amount)
    if (this.#charged.size > 0 && statements.hasWebhooks()) this.#tell(statements)
  }

  /** Accounts whose balance is low now, and shares of budgets that are reached now. */
  #tell(statements: LedgerStatements): void {
    for (const accountId of this.#charged.keys()) statements.noticeBalance(accountId, this.#endedAtMs)
    for (const [keyId, days] of this.#spent)
      for (const day of days.keys()) statements.noticeSpend(keyId, day, this.#endedAtMs)
  }
}

const ENDED_AT = SETTLEMENT_COLUMNS.indexOf('ended_at_ms')
