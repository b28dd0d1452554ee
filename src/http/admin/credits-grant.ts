import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import { creditsDoc } from './credits-doc.ts'
import type { AdminDeps } from './deps.ts'
import { enterMoney, positiveAmount } from './enter-money.ts'
import { entryView } from './entry-view.ts'
import { accountIdOf } from './find-account.ts'
import { once } from './once.ts'
import { readJson } from './read-json.ts'
import { refusePast } from './refuse-past.ts'

const wish = Type.Object(
  {
    account: Type.String({ minLength: 1, description: 'Id or name.' }),
    usd: Type.String({ description: 'Dollars in decimal, at most 9 decimals.' }),
    expires_at_ms: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'When what is left of it ends, in Unix milliseconds.',
    }),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
)

/** `POST /credits/grants`: promo credit that ends at a time. */
export function creditsGrant(deps: AdminDeps) {
  return new Elysia().post(
    '/credits/grants',
    async ({ body, request, set }) => {
      const amount = positiveAmount('promo_grant', body.usd)
      const { expires_at_ms: expiresAtMs, note = null } = body
      const entry = await once(deps, { request, body, set }, async (by) => {
        refusePast(expiresAtMs, deps.clock.wallMs())
        const accountId = await accountIdOf(deps, body.account)
        return enterMoney(deps, { kind: 'promo_grant', accountId, amount, note, expiresAtMs }, by)
      })
      set.status = 201
      return entryView(entry)
    },
    { body: wish, parse: readJson, detail: operationDoc(creditsDoc.grant) },
  )
}
