import type { LoadedAccount } from '../accounts/index.ts'
import { type AccountContext, GatewayError, type Key, type Principal } from '../domain/index.ts'
import { Bug } from '../lib/index.ts'
import type { Call } from './call.ts'
import type { House } from './house.ts'
import { limitError } from './limit-error.ts'
import { isKeyWarm, openKey } from './open-key.ts'

/**
 * Principal -> account context: the account's row is in memory (which opens its live money), so is what its key has used, and its status is
 * checked. Where something had to be read, `known` tells anew whose key it is: a change made meanwhile binds this request too. Throws 403.
 */
export function admit(
  house: House,
  principal: Principal,
  known: () => Principal | Promise<Principal> = () => principal,
): AccountContext | Promise<AccountContext> {
  return admitWarm(house, principal) ?? admitCold(house, principal, known)
}

/** Counts a request against its key's limits on requests per minute and concurrency, in this tick. Throws 429, and then it was not counted. */
export function admitRequest(house: House, call: Call, { id, limits }: Key): void {
  if (limits === null) return
  const end = house.accounts.limits.admit(id, limits)
  if (end.kind === 'refused') throw limitError(end, call.arrival.surface)
  call.admission = end
}

/** Null while something has to be read. */
function admitWarm(house: House, principal: Principal): AccountContext | null {
  const { key } = principal
  const row = house.accounts.rows.peek(key.accountId)
  const isWarm = row === null || (row !== undefined && house.ledger.isOpen(key.accountId) && isKeyWarm(house, key))
  return isWarm ? contextOf(row, principal) : null
}

/** One is enough, unless something is written or evicted meanwhile. */
const ROUNDS_MAX = 100

async function admitCold(
  house: House,
  first: Principal,
  known: () => Principal | Promise<Principal>,
): Promise<AccountContext> {
  let principal = first
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { key } = principal
    await Promise.all([house.accounts.rows.load(key.accountId), openKey(house, key)])
    principal = await known()
    const context = admitWarm(house, principal)
    if (context !== null) return context
  }
  throw new GatewayError('storage_unavailable', 'This account changes faster than it can be read. Please try again.')
}

function contextOf(row: LoadedAccount | null, { key }: Principal): AccountContext {
  if (row === null) throw new Bug(`key ${key.id} names an account that does not exist`)
  if (row.account.disabled)
    throw new GatewayError('account_disabled', 'This account is disabled. Ask the operator of this gateway.')
  return { account: row.account, key, own: row.own }
}
