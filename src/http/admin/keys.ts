import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { budgetDays, type Key } from '../../domain/index.ts'
import { newKeySecret } from '../../vault/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { accountIdOf, accountIdOrNull } from './find-account.ts'
import { findKey } from './find-key.ts'
import { keysDoc } from './keys-doc.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { nameOf } from './name-of.ts'
import { onceWithSecret } from './once.ts'
import { readJson } from './read-json.ts'
import { tagged, versionWanted } from './tagged.ts'
import { BUDGETS, termsFields, termsOf, termsView } from './terms-of.ts'

const newKey = Type.Object(
  {
    account: Type.String({ minLength: 1, description: 'Id or name.' }),
    name: Type.String({ minLength: 1, maxLength: 128 }),
    ...termsFields,
  },
  { additionalProperties: false },
)

const keyChange = Type.Object(
  { name: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })), ...termsFields },
  { additionalProperties: false, minProperties: 1 },
)

const accountWanted = Type.Optional(Type.String({ description: 'Id or name: of this account alone.' }))

const BY_ID: Cursor<Key> = { of: ({ id }) => id, form: idForm('key') }

/** `/keys`: create (the secret is shown once), list, show with what it spent, change, revoke. */
export function keys(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/keys',
      async ({ body, request, set }) => {
        const fresh = newKeySecret(deps.random)
        const made = await onceWithSecret(deps, { request, body, set }, fresh, async (by, secret) => {
          const accountId = await accountIdOf(deps, body.account)
          const wish = { accountId, name: nameOf(body.name), ...termsOf(deps, body), secret }
          const { key } = await deps.accounts.createKey(wish, by)
          return key
        })
        set.status = 201
        return tagged({ set }, made.answer.version, { ...view(made.answer), secret: made.secret })
      },
      { body: newKey, parse: readJson, detail: operationDoc(keysDoc.create) },
    )
    .get(
      '/keys',
      async ({ query }) => {
        const accountId = await accountIdOrNull(deps, query.account)
        return listOf(query, BY_ID, (page) => deps.store.reader.keys(accountId, page), view)
      },
      { query: Type.Object({ ...pageQuery, account: accountWanted }), detail: operationDoc(keysDoc.list) },
    )
    .get(
      '/keys/:key',
      async ({ params, set }) => {
        const key = await findKey(deps, params.key)
        const spend = await deps.store.reads.keySpend(key.id, budgetDays(deps.clock.wallMs()))
        const spent = BUDGETS.map((name) => amount(`spent_${name}`, spend[name]))
        return tagged({ set }, key.version, Object.assign(view(key), ...spent))
      },
      { detail: operationDoc(keysDoc.show) },
    )
    .patch(
      '/keys/:key',
      async ({ body, params, request, set }) => {
        const name = body.name === undefined ? {} : { name: nameOf(body.name) }
        const wish = { id: params.key, change: { ...name, ...termsOf(deps, body) }, version: versionWanted(request) }
        const key = await deps.accounts.updateKey(wish, byCaller(request))
        return tagged({ set }, key.version, view(key))
      },
      { body: keyChange, parse: readJson, detail: operationDoc(keysDoc.update) },
    )
    .post(
      '/keys/:key/revoke',
      async ({ params, request }) => view(await deps.accounts.revokeKey(params.key, byCaller(request))),
      { parse: 'none', detail: operationDoc(keysDoc.revoke) },
    )
}

const view = (key: Key): object => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  prefix: key.prefix,
  ...termsView(key),
  revoked: key.revoked,
})
