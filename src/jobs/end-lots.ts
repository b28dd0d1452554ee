import type { Accounts } from '../accounts/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { CancelTimer, Clock, ExpiryClock } from '../lib/index.ts'
import type { PromoLot, Reader } from '../store/index.ts'
import type { Log } from '../telemetry/index.ts'
import { repeatedly } from './repeatedly.ts'

const PERIOD_MS = 10_000
const LOTS_AT_ONCE = 100

export interface LotRooms {
  readonly clock: Clock
  /** By which credit ends: for a minute after a step of the machine's clock, time goes on as it was. */
  readonly expiries: ExpiryClock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly accounts: Pick<Accounts, 'rows'>
  readonly ledger: Pick<Ledger, 'open' | 'endLots'>
  readonly reader: Pick<Reader, 'lotsDue'>
}

/** Ends promo credit whose time is over, at the start and every ten seconds. What a running request holds of it ends after that request. */
export function endLots(rooms: LotRooms): CancelTimer {
  const { clock, log } = rooms
  return repeatedly({ clock, log, periodMs: PERIOD_MS, failure: 'credit_not_ended' }, (isStopped) =>
    endAll(rooms, isStopped),
  )
}

async function endAll(rooms: LotRooms, isStopped: () => boolean): Promise<void> {
  const nowMs = rooms.expiries.nowMs()
  let after: string | null = null
  do {
    const lots: readonly PromoLot[] = await rooms.reader.lotsDue(nowMs, { limit: LOTS_AT_ONCE, after })
    const last = lots.length < LOTS_AT_ONCE ? undefined : lots.at(-1)
    after = last === undefined ? null : String(last.seq)
    const byAccount = Map.groupBy(lots, ({ accountId }) => accountId)
    await Promise.all([...byAccount].map(([accountId, ofAccount]) => endOfAccount(rooms, accountId, ofAccount)))
  } while (after !== null && !isStopped())
}

async function endOfAccount({ accounts, ledger, log }: LotRooms, accountId: string, lots: readonly PromoLot[]) {
  const row = await accounts.rows.load(accountId)
  if (row === null) return
  ledger.open(row)
  for (const { lot, amount } of await ledger.endLots(lots)) {
    log.info('credit_ended', { account_id: accountId, lot: lot ?? null, amount_nano: amount })
  }
}
