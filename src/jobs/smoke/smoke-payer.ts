import type { Accounts } from '../../accounts/index.ts'
import { GatewayError } from '../../domain/index.ts'
import type { Clock } from '../../lib/index.ts'
import type { By, Store } from '../../store/index.ts'

export interface PayerRooms {
  readonly accounts: Pick<Accounts, 'createAccount' | 'createKey' | 'revokeKey'>
  readonly reader: Pick<Store['reader'], 'accountNamed'>
  readonly clock: Clock
}

/** Its key lives no longer than the requests it is for; should the process die, it ends by itself. */
const KEY_MS = 900_000

/**
 * Runs `work` with the secret of a key of the account `smoke`, which is made (unmetered) when it is not there. The key is revoked
 * afterwards, whatever comes. Both are in the audit.
 */
export async function withSmokePayer<T>(rooms: PayerRooms, by: By, work: (secret: string) => Promise<T>): Promise<T> {
  const { accounts, clock } = rooms
  const accountId = (await findPayer(rooms)) ?? (await makePayer(rooms, by))
  const { key, secret } = await accounts.createKey(
    { accountId, name: SMOKE_ACCOUNT, expiresAtMs: clock.wallMs() + KEY_MS },
    by,
  )
  try {
    return await work(secret)
  } finally {
    await accounts.revokeKey(key.id, by)
  }
}

/** Who pays for these requests: their cost stands in the ledger and in `usage` like every other. */
const SMOKE_ACCOUNT = 'smoke'

async function findPayer({ reader }: PayerRooms): Promise<string | null> {
  return (await reader.accountNamed(SMOKE_ACCOUNT))?.account.id ?? null
}

/** Two at once may both find none. */
async function makePayer(rooms: PayerRooms, by: By): Promise<string> {
  try {
    return (await rooms.accounts.createAccount({ name: SMOKE_ACCOUNT, kind: 'unmetered' }, by)).id
  } catch (error) {
    const made = error instanceof GatewayError && error.code === 'conflict' ? await findPayer(rooms) : null
    if (made === null) throw error
    return made
  }
}
