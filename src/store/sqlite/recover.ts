import {
  chargeFor,
  costOf,
  coverName,
  estimateOf,
  type MoneySettings,
  money,
  NO_USAGE,
  smaller,
  subtract,
  ZERO,
} from '../../domain/index.ts'
import type { Recovery, SettlementRow } from '../contract.ts'
import { applySettlements } from './apply-settlements.ts'
import type { HoldOnDisk, LedgerStatements } from './ledger-statements.ts'
import { settlementValues } from './settlement-values.ts'

export interface RecoverOptions {
  /** Null: as the process that died was told. */
  readonly crash: MoneySettings['crash'] | null
  readonly wallMs: number
}

/**
 * Begins a new epoch and closes every open hold of the ones before it. Inside the caller's transaction: after a crash in the middle
 * nothing has happened, and the next start does it again.
 */
export function recover(statements: LedgerStatements, { crash, wallMs }: RecoverOptions): Recovery {
  const epoch = statements.startEpoch(wallMs, crash)
  const ended = { settled: 0, voided: 0 }
  const rows = statements
    .deadHolds(epoch)
    .map((dead) => endOfDeadHold(dead, { crash: crash ?? dead.crash ?? 'delivered', wallMs }))
  applySettlements(statements, rows.map(settlementValues))
  for (const row of rows) ended[row.end]++
  return { epoch, ...ended }
}

/** The settlement of a hold whose process is gone: what its last checkpoint had delivered, at most the hold. */
export function endOfDeadHold(
  { hold, checkpoint }: HoldOnDisk,
  { crash, wallMs }: Pick<MoneySettings, 'crash'> & Pick<RecoverOptions, 'wallMs'>,
): SettlementRow {
  const { requestId, accountId, keyId, amount, openedAtMs: heldAtMs } = hold
  const common = { requestId, accountId, keyId, reason: 'crash', held: amount, heldAtMs, endedAtMs: wallMs } as const
  const covered = hold.covers.find((cover) => coverName(cover) === checkpoint?.offer)
  if (crash === 'void' || checkpoint === null || covered === undefined) {
    const nothing = { cost: ZERO, charged: ZERO, overrun: ZERO, expense: ZERO }
    return { ...common, ...nothing, end: 'voided', usage: NO_USAGE, usageSource: null, covered: null }
  }
  const usage = estimateOf(covered, checkpoint.deliveredUnits)
  const cost = crash === 'hold' && covered.credential === undefined ? amount : chargeFor(usage, covered)
  const charged = smaller(amount, cost)
  const expense = covered.cost === null ? money(0) : costOf(usage, covered.cost)
  const amounts = { cost, charged, overrun: subtract(cost, charged), expense }
  return { ...common, ...amounts, end: 'settled', usage, usageSource: 'recovered', covered }
}
