import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { subtract } from '../../domain/index.ts'
import type { AccountRow } from '../../store/index.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { amount, listOf, pageOf, pageQuery } from './wire.ts'

const newAccount = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    kind: Type.Optional(Type.Union([Type.Literal('prepaid'), Type.Literal('unmetered')])),
  },
  { additionalProperties: false },
)

/** `/accounts`: create, list, show. */
export function accounts(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/accounts',
      async ({ body, set }) => {
        const account = await deps.accounts.createAccount({ name: body.name, kind: body.kind ?? 'prepaid' })
        set.status = 201
        const row = await deps.accounts.rows.load(account.id)
        return view(deps, row ?? (await findAccount(deps, account.id)))
      },
      { body: newAccount, parse: 'json' },
    )
    .get(
      '/accounts',
      async ({ query }) => {
        const page = pageOf(query)
        const rows = await deps.store.reader.accounts(page)
        return listOf(
          rows,
          page,
          ({ account }) => account.id,
          (row) => view(deps, row),
        )
      },
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
