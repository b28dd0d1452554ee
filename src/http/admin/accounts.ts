import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type Account, type Funds, ZERO } from '../../domain/index.ts'
import type { AccountRow } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { accountsDoc } from './accounts-doc.ts'
import { amount } from './amount.ts'
import { byCaller, requireScope } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { nameOf } from './name-of.ts'
import { once } from './once.ts'
import { readJson } from './read-json.ts'
import { tagged, versionWanted } from './tagged.ts'

const newAccount = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    kind: Type.Optional(Type.Union([Type.Literal('prepaid'), Type.Literal('unmetered')])),
  },
  { additionalProperties: false },
)

const accountChange = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether all its keys are refused.' })),
  },
  { additionalProperties: false, minProperties: 1 },
)

const BY_ID: Cursor<AccountRow> = { of: ({ account }) => account.id, form: idForm('acc') }

/** `/accounts`: create, list, show, rename, disable and enable. */
export function accounts(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/accounts',
      async ({ body, request, set }) => {
        const wish = { name: nameOf(body.name), kind: body.kind ?? 'prepaid' }
        // What an unmetered account spends, nobody has to pay in: as good as money.
        if (wish.kind === 'unmetered') requireScope(request, 'credits', 'An unmetered account')
        const account = await once(deps, { request, body, set }, (by) => deps.accounts.createAccount(wish, by))
        set.status = 201
        return tagged({ set }, account.version, viewOf(account, NO_FUNDS)) // as it was then, when it is asked again
      },
      { body: newAccount, parse: readJson, detail: operationDoc(accountsDoc.create) },
    )
    .get(
      '/accounts',
      ({ query }) =>
        listOf(
          query,
          BY_ID,
          (page) => deps.store.reader.accounts(page),
          (row) => view(deps, row),
        ),
      { query: Type.Object(pageQuery), detail: operationDoc(accountsDoc.list) },
    )
    .get(
      '/accounts/:account',
      async ({ params, set }) => {
        const row = await findAccount(deps, params.account)
        return tagged({ set }, row.account.version, view(deps, row))
      },
      { detail: operationDoc(accountsDoc.show) },
    )
    .patch(
      '/accounts/:account',
      async ({ body, params, request, set }) => {
        const change = { ...body, ...(body.name === undefined ? {} : { name: nameOf(body.name) }) }
        const { account, balance } = await findAccount(deps, params.account)
        const wish = { id: account.id, change, version: versionWanted(request) }
        const changed = await deps.accounts.updateAccount(wish, byCaller(request))
        return tagged({ set }, changed.version, view(deps, { account: changed, balance }))
      },
      { body: accountChange, parse: readJson, detail: operationDoc(accountsDoc.update) },
    )
}

/** The live figures while the account is open; else those on disk, which nothing holds. */
function view({ ledger }: AdminDeps, { account, balance }: AccountRow): object {
  const live = ledger.isOpen(account.id) ? ledger.funds(account.id) : { balance, held: ZERO, available: balance }
  return viewOf(account, live)
}

const NO_FUNDS: Funds = { balance: ZERO, held: ZERO, available: ZERO }

const viewOf = (account: Account, { balance, held, available }: Funds): object => ({
  id: account.id,
  name: account.name,
  kind: account.kind,
  disabled: account.disabled,
  ...amount('balance', balance),
  ...amount('held', held),
  ...amount('available', available),
})
