import type { Entry } from '../../store/index.ts'
import { amount } from './amount.ts'

/** A movement of money that is no settlement, as the admin API tells it. */
export const entryView = (entry: Entry): object => ({
  seq: entry.seq,
  kind: entry.kind,
  account_id: entry.accountId,
  ...amount('amount', entry.amount),
  ...amount('balance_after', entry.balanceAfter),
  note: entry.note,
  actor: entry.actor,
  at_ms: entry.atMs,
  ...(entry.requestId === undefined ? {} : { request_id: entry.requestId }),
  ...(entry.expiresAtMs === undefined ? {} : { expires_at_ms: entry.expiresAtMs }),
  ...(entry.kind === 'promo_grant' ? { lot: entry.seq } : entry.lot === undefined ? {} : { lot: entry.lot }),
  ...(entry.remaining === undefined ? {} : amount('remaining', entry.remaining)),
})
