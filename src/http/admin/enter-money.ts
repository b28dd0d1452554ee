import { GatewayError, type Money, parseUsd } from '../../domain/index.ts'
import type { By, Entry, EntryKind, NewEntry } from '../../store/index.ts'
import type { AdminDeps } from './deps.ts'

/** Moves an account's money through its live account, which is opened for it. */
export async function enterMoney(
  { accounts, ledger, clock }: Pick<AdminDeps, 'accounts' | 'ledger' | 'clock'>,
  entry: Omit<NewEntry, 'actor' | 'atMs'>,
  { actor, claim }: By,
): Promise<Entry> {
  const row = await accounts.rows.load(entry.accountId)
  if (row !== null) ledger.open(row)
  return ledger.enter({ ...entry, actor, atMs: clock.wallMs() }, claim).catch(nameField)
}

/** Dollars as a body has them: a movement of this kind. Throws 400 for what is none. */
export function amountOf(kind: EntryKind, usd: string, param = 'usd'): Money {
  const moved = parseUsd(usd)
  if (moved === null)
    throw new GatewayError(
      'invalid_request',
      `'${param}' must be dollars in decimal with at most 9 decimals, such as "5.00".`,
      { param },
    )
  if (moved === 0) throw new GatewayError('invalid_request', `'${param}' must not be zero.`, { param })
  if (moved < 0 && kind === 'top_up') {
    throw new GatewayError('invalid_request', 'A top-up cannot be negative: use an adjustment.', { param })
  }
  return moved
}

/** As `amountOf`, for what is always given. */
export function positiveAmount(kind: EntryKind, usd: string, param = 'usd'): Money {
  const moved = amountOf(kind, usd, param)
  if (moved < 0) throw new GatewayError('invalid_request', `'${param}' must be more than zero.`, { param })
  return moved
}

/** The ledger's word for it is `amount`. */
function nameField(error: unknown): never {
  if (!(error instanceof GatewayError) || error.details.param !== 'amount') throw error
  throw new GatewayError(error.code, error.message, { ...error.details, param: 'usd' })
}
