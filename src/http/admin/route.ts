import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type AccountContext, GatewayError, type Key, NO_LIMITS, NO_TERMS } from '../../domain/index.ts'
import { captureWorld, route as planRoute } from '../../pipeline/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { findAccount } from './find-account.ts'
import { findKey } from './find-key.ts'
import { offerView } from './models.ts'
import { readJson } from './read-json.ts'
import { routeDoc } from './route-doc.ts'
import { snakeCase } from './snake-case.ts'

const question = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    account: Type.Optional(Type.String({ description: 'Id or name: the plan of an unlimited key of it.' })),
    key: Type.Optional(Type.String({ description: 'Id of a key.' })),
  },
  { additionalProperties: false },
)

/** `/route`: the route plan with every skip, without sending anything. Without an account: as an unmetered one would get it. */
export function route(deps: AdminDeps) {
  return new Elysia().post(
    '/route',
    async ({ body }) => {
      const context = await contextOf(deps, body)
      const plan = planRoute(captureWorld(deps, context), { model: body.model })
      const candidates = plan.candidates.map(({ offer, own }) => ({
        ...offerView(offer),
        ...(own && { credential: own.id }),
      }))
      return { model: plan.model, candidates, skips: snakeCase(plan.skips) }
    },
    { body: question, parse: readJson, detail: operationDoc(routeDoc.plan) },
  )
}

const ANYBODY: AccountContext = {
  account: { id: 'acc_anybody', name: 'anybody', kind: 'unmetered', disabled: false, ...NO_TERMS, version: 1 },
  key: unlimitedKey('acc_anybody'),
  own: [],
}

async function contextOf(deps: AdminDeps, wish: { account?: string; key?: string }): Promise<AccountContext> {
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

async function loadAccount(deps: AdminDeps, idOrName: string): Promise<Pick<AccountContext, 'account' | 'own'>> {
  const { account } = await findAccount(deps, idOrName)
  const loaded = await deps.accounts.rows.load(account.id)
  return { account, own: loaded?.own ?? [] }
}

function unlimitedKey(accountId: string): Key {
  return { id: 'key_any', accountId, name: 'any', prefix: '', ...NO_LIMITS, revoked: false, version: 1 }
}
