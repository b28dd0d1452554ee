import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError, money, subtract } from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { creditsDoc } from './credits-doc.ts'
import type { AdminDeps } from './deps.ts'
import { enterMoney, positiveAmount } from './enter-money.ts'
import { entryView } from './entry-view.ts'
import { once } from './once.ts'
import { readJson } from './read-json.ts'

const wish = Type.Object(
  {
    request: Type.String({
      pattern: '^(req_|gen-)[0-9a-f]{32}$',
      description: 'Its `req_…`, or the `gen-…` of its answer.',
    }),
    usd: Type.Optional(
      Type.String({
        description: 'Dollars in decimal, at most 9 decimals. All that was not refunded yet when absent.',
      }),
    ),
    note: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  { additionalProperties: false },
)

/** `POST /credits/refunds`: gives back what a request was charged, or a part of it. */
export function creditsRefund(deps: AdminDeps) {
  return new Elysia().post(
    '/credits/refunds',
    async ({ body, request, set }) => {
      const wanted = body.usd === undefined ? null : positiveAmount('refund', body.usd)
      const requestId = body.request.replace('gen-', 'req_')
      const entry = await once(deps, { request, body, set }, async (by) => {
        const found = await deps.store.reader.refundable(requestId)
        if (found === null)
          throw new GatewayError('not_found', `There is no settled request '${body.request}'.`, { param: 'request' })
        const { accountId, charged, refunded } = found
        const amount = wanted ?? money(Math.max(0, subtract(charged, refunded)))
        if (amount === 0)
          throw new GatewayError(
            'conflict',
            charged === 0
              ? 'The request was charged nothing.'
              : 'All that the request was charged was refunded already.',
          )
        return enterMoney(deps, { kind: 'refund', accountId, amount, note: body.note ?? null, requestId }, by)
      })
      set.status = 201
      return entryView(entry)
    },
    { body: wish, parse: readJson, detail: operationDoc(creditsDoc.refund) },
  )
}
