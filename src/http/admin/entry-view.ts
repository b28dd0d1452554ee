import type { Entry } from '../../store/index.ts'
import { amount } from './amount.ts'

/** A movement of money that is no settlement, as the admin API tells it: JSON leaves out what is undefined. */
export const entryView = (entry: Entry): object => ({
  seq: entry.seq,
  kind: entry.kind,
  account_id: entry.accountId,
  ...amount('amount', entry.amount),
  ...amount('balance_after', entry.balanceAfter),
  note: entry.note,
  actor: entry.actor,
  at_ms: entry.atMs,
  request_id: entry.requestId,
  expires_at_ms: entry.expiresAtMs,
  lot: entry.kind === 'promo_grant' ? entry.seq : entry.lot,
  ...amount('remaining', entry.remaining),
})
