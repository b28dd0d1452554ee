import { expect } from 'bun:test'
import { money } from '../../src/domain/index.ts'
import { availableOf, type LedgerWorld as World } from './ledger-world.ts'

const COMMON = { note: null, actor: 'local:0', atMs: 0 } as const
/** The clock of the model stands still: every hold was opened then. */
const NOW_MS = 1_800_000_000_000

/** Credit that ends is in the balance once it is on disk; an account that is unmetered gets none. */
export function grantTo(
  world: World,
  accountId: string,
  { account: at, amount, isOver }: { readonly account: number; readonly amount: number; readonly isOver: boolean },
): void {
  const { ledger, model } = world
  const account = model.accounts[at]
  const expiresAtMs = isOver ? NOW_MS : NOW_MS + 1
  const fields = { ...COMMON, kind: 'promo_grant', accountId, amount: money(amount), expiresAtMs } as const
  ledger.enter(fields).then(
    () => {
      world.entered += 1
    },
    () => {},
  )
  if (account === undefined || account.kind === 'unmetered') return
  const written = (): void => {
    account.balance += amount
    model.entered += 1
  }
  model.queued.push({ written, failed: () => {} })
}

/** At most what was charged, less what was given back before: which is known when it comes to the disk. */
export function refundOf(world: World, requestId: string | null, amount: number): void {
  const { ledger, model } = world
  const at = model.payers.get(requestId ?? '')
  const account = model.accounts[at ?? -1]
  if (requestId === null || at === undefined || account === undefined) return
  const fields = { ...COMMON, kind: 'refund', accountId: `acc_${at}`, amount: money(amount), requestId } as const
  ledger.enter(fields).then(
    () => {
      world.entered += 1
    },
    () => {},
  )
  const commits = (): boolean => {
    const refunded = (model.refunded.get(requestId) ?? 0) + amount
    if (refunded > (model.charged.get(requestId) ?? 0)) return false
    model.refunded.set(requestId, refunded)
    return true
  }
  const written = (): void => {
    account.balance += amount
    model.entered += 1
  }
  model.queued.push({ commits, written, failed: () => {} })
}

/**
 * Every lot of the account ends, but what open holds keep: of one that is not over all that they hold, of one that is over nothing. No more than
 * is available. What settlements that come to the disk before have used of it by then, the disk tells.
 */
export function endLotsOf(world: World, accountId: string, at: number): void {
  const { ledger, double, model } = world
  const account = model.accounts[at]
  const lots = [...double.tables.lots.values()]
    .map(({ lot }) => lot)
    .filter((lot) => lot.accountId === accountId && lot.remaining > 0)
    .sort((one, other) => one.expiresAtMs - other.expiresAtMs || one.seq - other.seq)
  if (account === undefined) return
  let kept = 0
  let asked = 0
  for (const { remaining, expiresAtMs } of lots) {
    const keeps = expiresAtMs > NOW_MS ? Math.min(remaining, account.held - kept) : 0
    kept += keeps
    const debit = Math.min(remaining - keeps, availableOf(account))
    if (debit <= 0) continue
    asked += debit
    account.debits += debit
    const told = (): void => {
      account.debits -= debit
    }
    model.queued.push({ written: told, failed: told })
  }
  ledger.endLots(lots).then(
    (entries) => {
      const taken = entries.reduce((sum, { amount }) => sum - amount, 0)
      expect(taken).toBeLessThanOrEqual(asked)
      account.balance -= taken
    },
    () => {},
  )
}
