import { add, formatUsd, larger, type Money, negate, smaller, subtract, ZERO } from '../domain/index.ts'
import {
  type ChangeNote,
  type Claim,
  changeNote,
  type Entry,
  type NewEntry,
  type PromoLot,
  SYSTEM,
  type Writer,
} from '../store/index.ts'
import { fundsOf, type LiveAccount } from './live-accounts.ts'
import { refuseEntry } from './refuse-entry.ts'

/**
 * A movement of a live account's money that is no settlement: on disk first, then in memory. A debit is out of reach at once. Rejects as
 * `Ledger.enter`, and then nothing changed.
 */
export async function enterEntry(
  writer: Pick<Writer, 'enter'>,
  account: LiveAccount,
  entry: NewEntry,
  claim: Claim | null,
): Promise<Entry> {
  refuseEntry(account, entry)
  const credit = larger(entry.amount, ZERO)
  const debit = larger(negate(entry.amount), ZERO)
  account.incoming = add(account.incoming, credit)
  account.outgoing = add(account.outgoing, debit)
  account.unacknowledged += 1
  try {
    const written = await writer.enter(entry, noteOf(entry, claim))
    account.balance = add(account.balance, entry.amount)
    return written
  } finally {
    account.incoming = subtract(account.incoming, credit)
    account.outgoing = subtract(account.outgoing, debit)
    account.unacknowledged -= 1
  }
}

/**
 * At most so much of a lot leaves a live account's balance. It is out of reach while it is being written; settlements that are written before
 * it may have used some of it. Null when nothing is left, or nothing of it is available.
 */
export async function enterLotEnd(
  writer: Pick<Writer, 'endLot'>,
  account: LiveAccount,
  lot: PromoLot,
  amount: Money,
  atMs: number,
): Promise<Entry | null> {
  const amountMax = smaller(amount, fundsOf(account).available)
  if (amountMax <= 0) return null
  account.outgoing = add(account.outgoing, amountMax)
  account.unacknowledged += 1
  try {
    const written = await writer.endLot({ lot: lot.seq, accountId: account.id, amountMax, actor: SYSTEM.actor, atMs })
    if (written !== null) account.balance = add(account.balance, written.amount)
    return written
  } finally {
    account.outgoing = subtract(account.outgoing, amountMax)
    account.unacknowledged -= 1
  }
}

function noteOf(entry: NewEntry, claim: Claim | null): ChangeNote {
  const { kind, accountId, amount, note, actor, atMs, requestId, expiresAtMs } = entry
  const details = {
    amount_usd: formatUsd(amount),
    amount_nano: amount,
    note,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(expiresAtMs === undefined ? {} : { expires_at_ms: expiresAtMs }),
  }
  return changeNote({ actor, claim }, { atMs, action: `credits.${kind}`, subject: accountId, details })
}
