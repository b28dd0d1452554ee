import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { subtract } from '../../domain/index.ts'
import type { AccountRow } from '../../store/index.ts'
import { amount } from './amount.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { type Cursor, listOf, pageQuery } from './list-of.ts'
import { nameOf } from './name-of.ts'
import { readJson } from './read-json.ts'

const newAccount = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    kind: Type.Optional(Type.Union([Type.Literal('prepaid'), Type.Literal('unmetered')])),
  },
  { additionalProperties: false },
)

const BY_ID: Cursor<AccountRow> = { of: ({ account }) => account.id, form: /^acc_/ }

/** `/accounts`: create, list, show. */
export function accounts(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/accounts',
      async ({ body, set }) => {
        const account = await deps.accounts.createAccount({ name: nameOf(body.name), kind: body.kind ?? 'prepaid' })
        set.status = 201
        const row = await deps.accounts.rows.load(account.id)
        return view(deps, row ?? (await findAccount(deps, account.id)))
      },
      { body: newAccount, parse: readJson },
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
      { query: Type.Object(pageQuery) },
    )
    .get('/accounts/:account', async ({ params }) => view(deps, await findAccount(deps, params.account)))
}

/** The live figures while the account is open; else those on disk, which nothing holds. */
function view({ ledger }: AdminDeps, { account, balance }: AccountRow): object {
  const live = ledger.isOpen(account.id)
    ? ledger.funds(account.id)
    : { balance, held: subtract(balance, balance), available: balance }
  return {
    id: account.id,
    name: account.name,
    kind: account.kind,
    disabled: account.disabled,
    ...amount('balance', live.balance),
    ...amount('held', live.held),
    ...amount('available', live.available),
  }
}
