import type { AccountRow } from '../../store/index.ts'
import type { AdminDeps } from './deps.ts'
import { unknownName } from './unknown-name.ts'

type Deps = Pick<AdminDeps, 'accounts' | 'store'>

/** The account of this id or name. Throws 404. */
export async function findAccount({ accounts, store }: Deps, idOrName: string): Promise<AccountRow> {
  const row = idOrName.startsWith('acc_') ? await accounts.rows.load(idOrName) : null
  const found = row ?? (await store.reader.accountNamed(idOrName))
  if (found !== null) return found
  throw unknownName('account', idOrName)
}

/** The id of the account of this id or name. Throws 404. */
export const accountIdOf = async (deps: Deps, idOrName: string): Promise<string> =>
  (await findAccount(deps, idOrName)).account.id

/** The same for what may name one; null: all accounts. */
export const accountIdOrNull = async (deps: Deps, idOrName: string | undefined): Promise<string | null> =>
  idOrName === undefined ? null : accountIdOf(deps, idOrName)
