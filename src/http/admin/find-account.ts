import { GatewayError } from '../../domain/index.ts'
import type { AccountRow } from '../../store/index.ts'
import type { AdminDeps } from './deps.ts'

const PAGE = 200

/** The account of this id or name. Throws 404. */
export async function findAccount(
  { accounts, store }: Pick<AdminDeps, 'accounts' | 'store'>,
  idOrName: string,
): Promise<AccountRow> {
  const row = idOrName.startsWith('acc_') ? await accounts.rows.load(idOrName) : null
  if (row !== null) return row
  let after: string | null = null
  for (;;) {
    const page: readonly AccountRow[] = await store.reader.accounts({ limit: PAGE, after })
    const found = page.find(({ account }) => account.name === idOrName)
    if (found !== undefined) return found
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.account.id
  }
  throw new GatewayError('not_found', `There is no account '${idOrName.slice(0, 200)}'.`, { param: 'account' })
}
