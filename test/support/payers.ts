import { createAccounts } from '../../src/accounts/index.ts'
import { createLedger } from '../../src/ledger/index.ts'
import type { House } from '../../src/pipeline/index.ts'
import type { Vault } from '../../src/vault/index.ts'
import type { StoreDouble } from './store-double.ts'

/** Accounts, and the ledger that they open. */
export function payers(
  kept: { readonly keys?: number; readonly accounts?: number },
  ground: Pick<House, 'clock' | 'expiries' | 'random' | 'log'> & {
    readonly store: StoreDouble
    readonly vault: Vault
  },
): Pick<House, 'accounts' | 'ledger'> {
  const { store, ...others } = ground
  const rooms = { ...others, reads: store.reads, writer: store.writer }
  const accounts = createAccounts({
    ...rooms,
    onRead: (row) => ledger.open(row),
    ...(kept.keys === undefined ? {} : { keysKeptMax: kept.keys }),
    ...(kept.accounts === undefined ? {} : { accountsKeptMax: kept.accounts }),
  })
  const ledger = createLedger({
    ...rooms,
    onEvict: (id) => accounts.rows.drop(id),
    ...(kept.accounts === undefined ? {} : { accountsOpenMax: kept.accounts }),
    ...(kept.keys === undefined ? {} : { keysOpenMax: kept.keys }),
  })
  return { accounts, ledger }
}
