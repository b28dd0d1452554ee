import type { LoadedAccount } from '../accounts/index.ts'
import { type AccountContext, GatewayError, type Key, type Principal } from '../domain/index.ts'
import { assert } from '../lib/index.ts'
import type { Call } from './call.ts'
import type { House } from './house.ts'
import { limitError } from './limit-error.ts'
import { isKeyWarm, openKey } from './open-key.ts'

/**
 * Principal -> account context: the account's row (from memory when warm), its live money open (its row does that), what its key has used known, its status
 * checked. Throws 403.
 */
export function admit(house: House, principal: Principal): AccountContext | Promise<AccountContext> {
  const { key } = principal
  const row = house.accounts.rows.peek(key.accountId)
  if (row !== undefined && house.ledger.isOpen(key.accountId) && isKeyWarm(house, key)) return contextOf(row, principal)
  return admitCold(house, principal)
}

/**
 * The context of a request whose reads are under way. What is changed meanwhile, of the key too, binds it as it binds the next one: once all is
 * in memory it is looked at in one tick. `known` tells again who it is.
 */
export async function admitAfter(
  house: House,
  reads: Promise<unknown>,
  known: () => Promise<Principal>,
): Promise<AccountContext> {
  await reads
  for (;;) {
    const admitted = admit(house, await known())
    if (!(admitted instanceof Promise)) return admitted
    await admitted
  }
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
  const [row] = await Promise.all([house.accounts.rows.load(accountId), openKey(house, key)])
  return contextOf(row, principal)
}

function contextOf(row: LoadedAccount | null, { key }: Principal): AccountContext {
  assert(row !== null, () => `key ${key.id} names an account that does not exist`)
  if (row.account.disabled)
    throw new GatewayError('account_disabled', 'This account is disabled. Ask the operator of this gateway.')
  return { account: row.account, key, own: row.own }
}
