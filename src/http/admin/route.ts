import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import {
  type AccountContext,
  GatewayError,
  type Key,
  NO_LIMITS,
  NO_TERMS,
  SERVED_OPERATIONS,
} from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { operations } from '../operations/index.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { findKey } from './find-key.ts'
import { readJson } from './read-json.ts'
import { routeDoc } from './route-doc.ts'
import { type AskedRoute, routePreview } from './route-preview.ts'

const question = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1, description: 'In place of that of the body.' })),
    account: Type.Optional(Type.String({ description: 'Id or name: the plan of an unlimited key of it.' })),
    key: Type.Optional(Type.String({ description: 'Id of a key.' })),
    body: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The request, with all that it wishes.' }),
    ),
    operation: Type.Optional(
      Type.Union(
        SERVED_OPERATIONS.map((name) => Type.Literal(name)),
        {
          description: `What the body asks for: one of ${SERVED_OPERATIONS.join(', ')}; the first when it is left out.`,
        },
      ),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Of the request in `body`: `x-anyrouter-provider`, `x-session-id`.',
      }),
    ),
  },
  { additionalProperties: false },
)

/**
 * `/route`: the route plan with every skip and why each candidate has its place, without sending anything; of a request with its body what the
 * pipeline would make of it, money included. Without an account: as an unmetered one would get it.
 */
export function route(deps: AdminDeps) {
  return new Elysia().post('/route', async ({ body }) => routePreview(deps, await whoAsks(deps, body), askedOf(body)), {
    body: question,
    parse: readJson,
    detail: operationDoc(routeDoc.plan),
  })
}

type Question = typeof question.static

function askedOf(asked: Question): AskedRoute {
  const { model, body, operation, headers } = asked
  if (body === undefined) {
    if (model === undefined)
      throw new GatewayError('invalid_request', "Give 'model', or 'body' with one.", { param: 'model' })
    const param = headers !== undefined ? 'headers' : operation !== undefined ? 'operation' : null
    if (param !== null)
      throw new GatewayError('invalid_request', `'${param}' is of a whole request: give its 'body', too.`, { param })
    return { model, request: null }
  }
  return { model: model ?? '', request: requestOf(asked, body) }
}

function requestOf(
  { model, operation = 'chat.completions', headers = {} }: Question,
  body: object,
): AskedRoute['request'] {
  const dialect = operations.find(({ name }) => name === operation)?.dialect ?? 'openai'
  const bytes = new TextEncoder().encode(JSON.stringify(model === undefined ? body : { ...body, model }))
  return { dialect, operation, bytes, headers: headersOf(headers) }
}

function headersOf(given: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(given)
  } catch {
    throw new GatewayError('invalid_request', "A name or a value in 'headers' cannot stand in a head.", {
      param: 'headers',
    })
  }
}

const ANYBODY: AccountContext = {
  account: { id: 'acc_anybody', name: 'anybody', kind: 'unmetered', disabled: false, ...NO_TERMS, version: 1 },
  key: unlimitedKey('acc_anybody'),
  own: [],
}

async function whoAsks(deps: AdminDeps, wish: Pick<Question, 'account' | 'key'>): Promise<AccountContext> {
  if (wish.key !== undefined && wish.account !== undefined) {
    throw new GatewayError('invalid_request', "Give 'key' or 'account': a key belongs to one account.", {
      param: 'key',
    })
  }
  if (wish.key !== undefined) {
    const key = await findKey(deps, wish.key)
    return { ...(await loadAccount(deps, key.accountId)), key }
  }
  if (wish.account === undefined) return ANYBODY
  const loaded = await loadAccount(deps, wish.account)
  return { ...loaded, key: unlimitedKey(loaded.account.id) }
}

/** Its row opens its money too. */
async function loadAccount(deps: AdminDeps, idOrName: string): Promise<Pick<AccountContext, 'account' | 'own'>> {
  const { account } = await findAccount(deps, idOrName)
  const loaded = await deps.accounts.rows.load(account.id)
  return { account, own: loaded?.own ?? [] }
}

function unlimitedKey(accountId: string): Key {
  return { id: 'key_any', accountId, name: 'any', prefix: '', ...NO_LIMITS, revoked: false, version: 1 }
}
