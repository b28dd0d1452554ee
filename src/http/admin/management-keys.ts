import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type ManagementKey, SCOPES, type Scope } from '../../domain/index.ts'
import { newManagementSecret } from '../../vault/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { byCaller, requireScope } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { managementKeysDoc } from './management-keys-doc.ts'
import { nameOf } from './name-of.ts'
import { onceWithSecret } from './once.ts'
import { readJson } from './read-json.ts'
import { refusePast } from './refuse-past.ts'
import { tagged, versionWanted } from './tagged.ts'
import { unknownName } from './unknown-name.ts'

const newManagementKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    scopes: Type.Array(Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('credits')]), {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      description: 'What it may do: `read` looks, `write` changes, `credits` moves money. None includes another.',
    }),
    expires_at_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'In ms since 1970; never when absent.',
      }),
    ),
  },
  { additionalProperties: false },
)

const BY_ID: Cursor<ManagementKey> = { of: ({ id }) => id, form: idForm('mkey') }

/** `/management-keys`: create (the secret is shown once), list, show, revoke. */
export function managementKeys(deps: AdminDeps) {
  return new Elysia()
    .post(
      '/management-keys',
      async ({ body, request, set }) => {
        const { scopes, expires_at_ms: expiresAtMs = null } = body
        refuseMoreThanOwn(request, scopes)
        const wish = { name: nameOf(body.name), scopes: SCOPES.filter((scope) => scopes.includes(scope)), expiresAtMs }
        const secret = newManagementSecret(deps.random)
        const made = await onceWithSecret(deps, { request, body, set }, secret, async (by, known) => {
          refusePast(expiresAtMs, deps.clock.wallMs())
          const { key } = await deps.accounts.createManagementKey({ ...wish, secret: known }, by)
          return key
        })
        set.status = 201
        return tagged({ set }, made.answer.version, {
          ...view(made.answer, made.answer.createdAtMs),
          secret: made.secret,
        })
      },
      { body: newManagementKey, parse: readJson, detail: operationDoc(managementKeysDoc.create) },
    )
    .get(
      '/management-keys',
      ({ query }) =>
        listOf(
          query,
          BY_ID,
          (page) => deps.store.reader.managementKeys(page),
          (key) => view(key, deps.clock.wallMs()),
        ),
      { query: Type.Object(pageQuery), detail: operationDoc(managementKeysDoc.list) },
    )
    .get(
      '/management-keys/:key',
      async ({ params, set }) => {
        const key = await deps.store.reader.managementKey(params.key)
        if (key === null) throw unknownName('management key', params.key, [], 'key')
        return tagged({ set }, key.version, view(key, deps.clock.wallMs()))
      },
      { detail: operationDoc(managementKeysDoc.show) },
    )
    .post(
      '/management-keys/:key/revoke',
      async ({ params, request, set }) => {
        const version = versionWanted(request)
        const key = await deps.accounts.revokeManagementKey(params.key, version, byCaller(request))
        return tagged({ set }, key.version, view(key, deps.clock.wallMs()))
      },
      { parse: 'none', detail: operationDoc(managementKeysDoc.revoke) },
    )
}

/** Else a key that may write could make itself one that moves money. */
function refuseMoreThanOwn(request: Request, scopes: readonly Scope[]): void {
  for (const scope of scopes) requireScope(request, scope, `A key with the scope '${scope}'`)
}

function view(key: ManagementKey, nowMs: number): object {
  const { id, name, prefix, scopes, createdAtMs, expiresAtMs, revokedAtMs } = key
  const expired = expiresAtMs !== null && expiresAtMs <= nowMs
  return {
    id,
    name,
    prefix,
    scopes,
    state: revokedAtMs !== null ? 'revoked' : expired ? 'expired' : 'active',
    created_at_ms: createdAtMs,
    expires_at_ms: expiresAtMs,
    revoked_at_ms: revokedAtMs,
  }
}
