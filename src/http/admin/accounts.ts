import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type Account, type AccountTermsChange, type Funds, GatewayError, ZERO } from '../../domain/index.ts'
import { defined } from '../../lib/index.ts'
import type { AccountRow } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { accountsDoc } from './accounts-doc.ts'
import { amount } from './amount.ts'
import { byCaller, requireScope } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { modelIds } from './model-ids.ts'
import { nameOf } from './name-of.ts'
import { once } from './once.ts'
import { policyFields, policyOf, policyView } from './policy-of.ts'
import { readJson } from './read-json.ts'
import { tagged, versionWanted } from './tagged.ts'
import { modelsField } from './terms-of.ts'

/** What all keys of an account may do at most, as fields of a body. */
const termsFields = {
  ...modelsField,
  ...policyFields,
  store_content: Type.Optional(
    Type.Boolean({
      description:
        'Whether prompts and answers of its requests are kept, sealed, for `records.content_keep_days`. Never with `zdr`.',
    }),
  ),
  byok_fallback: Type.Optional(
    Type.Union([Type.Literal('shared'), Type.Literal('never')], {
      description: "Whether requests go on with the operator's credentials where the account's own ones fail.",
    }),
  ),
}
const termsBody = Type.Object(termsFields)

const newAccount = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    kind: Type.Optional(Type.Union([Type.Literal('prepaid'), Type.Literal('unmetered')])),
    ...termsFields,
  },
  { additionalProperties: false },
)

const accountChange = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether all its keys are refused.' })),
    ...termsFields,
  },
  { additionalProperties: false, minProperties: 1 },
)

/** Its name stands in paths, where a dot or two are steps. Throws 400. */
function accountNameOf(text: string): string {
  if (/^\.{1,2}$/.test(text))
    throw new GatewayError('invalid_request', `'name' must be more than ${text}.`, { param: 'name' })
  return nameOf(text)
}

const BY_ID: Cursor<AccountRow> = { of: ({ account }) => account.id, form: idForm('acc') }

/** `/accounts`: create, list, show, rename, bind, disable and enable. */
export function accounts(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/accounts',
      async ({ body, request, set }) => {
        const wish = { name: accountNameOf(body.name), kind: body.kind ?? 'prepaid', ...termsOf(deps, body) }
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
        const { name, disabled } = body
        const named = name === undefined ? undefined : accountNameOf(name)
        const change = { ...defined({ name: named, disabled }), ...termsOf(deps, body) }
        const { account, balance } = await findAccount(deps, params.account)
        const wish = { id: account.id, change, version: versionWanted(request) }
        const changed = await deps.accounts.updateAccount(wish, byCaller(request))
        return tagged({ set }, changed.version, view(deps, { account: changed, balance }))
      },
      { body: accountChange, parse: readJson, detail: operationDoc(accountsDoc.update) },
    )
}

function termsOf(deps: AdminDeps, body: Static<typeof termsBody>): AccountTermsChange {
  const { models, byok_fallback: byokFallback, store_content: storeContent } = body
  const terms = defined({ models: models && modelIds(deps, models), byokFallback, storeContent })
  return { ...terms, ...policyOf(deps, body) }
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
  models: account.models,
  byok_fallback: account.byokFallback,
  store_content: account.storeContent,
  ...policyView(account.policy),
  ...amount('balance', balance),
  ...amount('held', held),
  ...amount('available', available),
})
