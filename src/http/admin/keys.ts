import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findModel } from '../../catalogue/index.ts'
import { GatewayError, type Key } from '../../domain/index.ts'
import { newKeySecret } from '../../vault/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { tagged } from './etag.ts'
import { findAccount } from './find-account.ts'
import { keysDoc } from './keys-doc.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { nameOf } from './name-of.ts'
import { onceWithSecret } from './once.ts'
import { readJson } from './read-json.ts'

const newKey = Type.Object(
  {
    account: Type.String({ minLength: 1, description: 'Id or name.' }),
    name: Type.String({ minLength: 1, maxLength: 128 }),
    models: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1000 })),
  },
  { additionalProperties: false },
)

const accountWanted = Type.Optional(Type.String({ description: 'Id or name: of this account alone.' }))

const BY_ID: Cursor<Key> = { of: ({ id }) => id, form: idForm('key') }

/** `/keys`: create (the secret is shown once), list, revoke. */
export function keys(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/keys',
      async ({ body, request, set }) => {
        const { account } = await findAccount(deps, body.account)
        const models = body.models?.map((name) => modelId(deps, name)) ?? null
        const wish = { accountId: account.id, name: nameOf(body.name), models }
        const made = await onceWithSecret(
          deps,
          { request, body, set },
          newKeySecret(deps.random),
          async (by, secret) => {
            const { key } = await deps.accounts.createKey({ ...wish, secret }, by)
            return key
          },
        )
        set.status = 201
        return tagged({ set }, made.answer.version, { ...view(made.answer), secret: made.secret })
      },
      { body: newKey, parse: readJson, detail: operationDoc(keysDoc.create) },
    )
    .get(
      '/keys',
      async ({ query }) => {
        const accountId = query.account === undefined ? null : (await findAccount(deps, query.account)).account.id
        return listOf(query, BY_ID, (page) => deps.store.reader.keys(accountId, page), view)
      },
      { query: Type.Object({ ...pageQuery, account: accountWanted }), detail: operationDoc(keysDoc.list) },
    )
    .post(
      '/keys/:key/revoke',
      async ({ params, request }) => view(await deps.accounts.revokeKey(params.key, byCaller(request))),
      { parse: 'none', detail: operationDoc(keysDoc.revoke) },
    )
}

/** A key's list of models holds ids: an alias would change its meaning with the catalogue. */
function modelId(deps: AdminDeps, name: string): string {
  const model = findModel(deps.catalogue(), name)
  if (model === null)
    throw new GatewayError('model_not_found', `There is no model '${name.slice(0, 200)}'.`, { param: 'models' })
  return model.id
}

const view = (key: Key): object => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  prefix: key.prefix,
  models: key.models,
  revoked: key.revoked,
})
