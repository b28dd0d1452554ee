import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import { creditsDoc } from './credits-doc.ts'
import { creditsGrant } from './credits-grant.ts'
import { creditsRefund } from './credits-refund.ts'
import type { AdminDeps } from './deps.ts'
import { amountOf, enterMoney } from './enter-money.ts'
import { entryView } from './entry-view.ts'
import { accountIdOf } from './find-account.ts'
import { bySeq, listOf, pageQuery } from './list-of.ts'
import { once } from './once.ts'
import { readJson } from './read-json.ts'

const movement = Type.Object(
  {
    account: Type.String({ minLength: 1, description: 'Id or name.' }),
    usd: Type.String({ description: 'Dollars in decimal, at most 9 decimals; negative for an adjustment only.' }),
    kind: Type.Optional(Type.Union([Type.Literal('top_up'), Type.Literal('adjustment')])),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
)

const accountWanted = Type.String({ description: 'Id or name.', examples: ['demo'] })

/** `/credits`: move money in or out of an account, give back what a request was charged, grant credit that ends, and the history of it all. */
export function credits(deps: AdminDeps) {
  return new Elysia()
    .use(creditsRefund(deps))
    .use(creditsGrant(deps))
    .post(
      '/credits',
      async ({ body, request, set }) => {
        const kind = body.kind ?? 'top_up'
        const moved = amountOf(kind, body.usd)
        const note = body.note ?? null
        const entry = await once(deps, { request, body, set }, async (by) => {
          const accountId = await accountIdOf(deps, body.account)
          return enterMoney(deps, { kind, accountId, amount: moved, note }, by)
        })
        set.status = 201
        return entryView(entry)
      },
      { body: movement, parse: readJson, detail: operationDoc(creditsDoc.create) },
    )
    .get(
      '/credits',
      async ({ query }) => {
        const accountId = await accountIdOf(deps, query.account)
        return listOf(query, bySeq, (page) => deps.store.reader.entries(accountId, page), entryView)
      },
      { query: Type.Object({ ...pageQuery, account: accountWanted }), detail: operationDoc(creditsDoc.list) },
    )
}
