import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { KeptCredential, WhichCredential } from '../../accounts/index.ts'
import { GatewayError } from '../../domain/index.ts'
import { checkBaseUrl } from '../../lib/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { accountIdOf } from './find-account.ts'
import { findProvider } from './find-provider.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { nameOf } from './name-of.ts'
import { once } from './once.ts'
import { ownCredentialsDoc } from './own-credentials-doc.ts'
import { readJson } from './read-json.ts'
import { snakeCase } from './snake-case.ts'
import { tagged, versionWanted } from './tagged.ts'

const name = Type.String({ minLength: 1, maxLength: 128 })
const secret = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'What the provider is shown. It is stored encrypted, and no answer has it.',
})

const newCredential = Type.Object(
  {
    provider: Type.String({ minLength: 1, description: 'A provider of the configuration.' }),
    name,
    secret,
    base_url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          "The account's own place that it is used at, instead of the provider's: https, public. It is never changed.",
      }),
    ),
    enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
const change = Type.Object(
  { name: Type.Optional(name), secret: Type.Optional(secret), enabled: Type.Optional(Type.Boolean()) },
  { additionalProperties: false, minProperties: 1 },
)

const BY_ID: Cursor<KeptCredential> = { of: ({ id }) => id, form: idForm('cred') }

/** `/accounts/{account}/credentials`: those that an account brings itself. Create, list, show, change, delete; the secret goes in only. */
export function ownCredentials(deps: AdminDeps) {
  const ours = deps.ownCredentials
  const which = async (
    params: { account: string; credential: string },
    request: Request,
  ): Promise<WhichCredential> => ({
    accountId: await accountIdOf(deps, params.account),
    id: params.credential,
    version: versionWanted(request),
  })
  return new Elysia()
    .post(
      '/accounts/:account/credentials',
      async ({ body, params, request, set }) => {
        const provider = findProvider(deps, body.provider) // else it would never be used, and nobody would know why
        const { enabled = true } = body
        const accountId = await accountIdOf(deps, params.account)
        const baseUrl = body.base_url === undefined ? null : placeOf(deps, body.base_url)
        const wish = { accountId, provider, name: nameOf(body.name), baseUrl, secret: secretOf(body.secret), enabled }
        const made = await once(deps, { request, body, set }, (by) => ours.create(wish, by))
        set.status = 201
        return tagged({ set }, made.version, view({ ...made, readable: true }))
      },
      { body: newCredential, parse: readJson, detail: operationDoc(ownCredentialsDoc.create) },
    )
    .get(
      '/accounts/:account/credentials',
      async ({ params, query }) => {
        const accountId = await accountIdOf(deps, params.account)
        return listOf(query, BY_ID, (page) => ours.list(accountId, page), view)
      },
      { query: Type.Object(pageQuery), detail: operationDoc(ownCredentialsDoc.list) },
    )
    .get(
      '/accounts/:account/credentials/:credential',
      async ({ params, set }) => {
        const kept = await find(deps, await accountIdOf(deps, params.account), params.credential)
        return tagged({ set }, kept.version, view(kept))
      },
      { detail: operationDoc(ownCredentialsDoc.show) },
    )
    .patch(
      '/accounts/:account/credentials/:credential',
      async ({ body, params, request, set }) => {
        if (body.name !== undefined) nameOf(body.name)
        if (body.secret !== undefined) secretOf(body.secret)
        const wanted = await which(params, request)
        const { version } = await ours.update(wanted, body, byCaller(request))
        return tagged({ set }, version, view(await find(deps, wanted.accountId, wanted.id)))
      },
      { body: change, parse: readJson, detail: operationDoc(ownCredentialsDoc.update) },
    )
    .delete(
      '/accounts/:account/credentials/:credential',
      async ({ params, request }) => {
        const { id } = await ours.remove(await which(params, request), byCaller(request))
        return { id, deleted: true }
      },
      { parse: 'none', detail: operationDoc(ownCredentialsDoc.remove) },
    )
}

async function find({ ownCredentials: ours }: AdminDeps, accountId: string, id: string): Promise<KeptCredential> {
  const kept = await ours.find(accountId, id)
  if (kept === null)
    throw new GatewayError('not_found', `The account has no credential '${id.slice(0, 200)}'.`, { param: 'credential' })
  return kept
}

/** The refusal does not repeat it: a user and a password may stand in it. */
function placeOf({ placeRefusal }: AdminDeps, text: string): string {
  const url = checkBaseUrl(text)
  if (url.kind === 'problem') throw refused(url.reason, url.suggestion)
  const reason = placeRefusal(url.baseUrl)
  if (reason !== null) throw refused(`cannot be used: ${reason}`, null)
  return url.baseUrl
}

const refused = (reason: string, suggestion: string | null): GatewayError =>
  new GatewayError('invalid_request', `'base_url' ${reason}.${suggestion === null ? '' : ` ${suggestion}`}`, {
    param: 'base_url',
  })

/** It becomes the value of a header. The refusal does not repeat it. */
function secretOf(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text))
    throw new GatewayError(
      'invalid_request',
      "'secret' must be visible ASCII characters without spaces or line breaks.",
      {
        param: 'secret',
      },
    )
  return text
}

/** The version is the ETag. */
function view({ version: _, ...kept }: KeptCredential): object {
  return Object(snakeCase(kept))
}
