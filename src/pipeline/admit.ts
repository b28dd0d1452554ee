import type { LoadedAccount } from '../accounts/index.ts'
import { type AccountContext, GatewayError, type Key, type Principal } from '../domain/index.ts'
import { assert } from '../lib/index.ts'
import type { Call } from './call.ts'
import type { House } from './house.ts'
import { limitError } from './limit-error.ts'
import { isKeyWarm, openKey } from './open-key.ts'

/**
 * Principal -> account context: the account's row (from memory when warm), its live money open, what its key has used known, its status
 * checked. Throws 403.
 */
export function admit(house: House, principal: Principal): AccountContext | Promise<AccountContext> {
  const { key } = principal
  const row = house.accounts.rows.peek(key.accountId)
  if (row !== undefined && house.ledger.isOpen(key.accountId) && isKeyWarm(house, key)) return contextOf(row, principal)
  return admitCold(house, principal)
}

/** Counts a request against its key's limits on requests per minute and concurrency, in this tick. Throws 429, and then it was not counted. */
export function admitRequest(house: House, call: Call, { id, limits }: Key): void {
  if (limits === null) return
  const end = house.accounts.limits.admit(id, limits)
  if (end.kind === 'refused') throw limitError(end, call.arrival.surface)
  call.admission = end
}

async function admitCold(house: House, principal: Principal): Promise<AccountContext> {
  const { key } = principal
  const { accountId } = key
  // A row in memory without a live account is from before its eviction: its balance may be old.
  if (!house.ledger.isOpen(accountId) && house.accounts.rows.peek(accountId) !== undefined)
    house.accounts.rows.drop(accountId)
  const [row] = await Promise.all([house.accounts.rows.load(accountId), openKey(house, key)])
  if (row !== null) house.ledger.open(row)
  return contextOf(row, principal)
}

function contextOf(row: LoadedAccount | null, { key }: Principal): AccountContext {
  assert(row !== null, () => `key ${key.id} names an account that does not exist`)
  if (row.account.disabled)
    throw new GatewayError('account_disabled', 'This account is disabled. Ask the operator of this gateway.')
  return { account: row.account, key, own: row.own }
}
