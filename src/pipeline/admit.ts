import { type AccountContext, GatewayError, type Principal } from '../domain/index.ts'
import { assert } from '../lib/index.ts'
import type { AccountRow } from '../store/index.ts'
import type { House } from './house.ts'

/** Principal -> account context: the account's row (from memory when warm), its live money open, its status checked. Throws 403. */
export function admit(house: House, principal: Principal): AccountContext | Promise<AccountContext> {
  const { accountId } = principal.key
  const row = house.accounts.rows.peek(accountId)
  if (row !== undefined && house.ledger.isOpen(accountId)) return contextOf(row, principal)
  return admitCold(house, principal)
}

async function admitCold(house: House, principal: Principal): Promise<AccountContext> {
  const { accountId } = principal.key
  // A row in memory without a live account is from before its eviction: its balance may be old.
  if (!house.ledger.isOpen(accountId) && house.accounts.rows.peek(accountId) !== undefined)
    house.accounts.rows.drop(accountId)
  const row = await house.accounts.rows.load(accountId)
  if (row !== null) house.ledger.open(row)
  return contextOf(row, principal)
}

function contextOf(row: AccountRow | null, { key }: Principal): AccountContext {
  assert(row !== null, () => `key ${key.id} names an account that does not exist`)
  if (row.account.disabled)
    throw new GatewayError('account_disabled', 'This account is disabled. Ask the operator of this gateway.')
  return { account: row.account, key }
}
