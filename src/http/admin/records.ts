import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { type AttemptRecord, GatewayError } from '../../domain/index.ts'
import type { StoredRecord } from '../../store/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import type { AdminDeps } from './deps.ts'
import { type Cursor, idForm, listOf, pageQuery } from './list-of.ts'
import { recordsDoc } from './records-doc.ts'
import { snakeCase } from './snake-case.ts'

const BY_ID: Cursor<StoredRecord> = { of: ({ requestId }) => requestId, form: idForm('req') }

/** `/records`: requests and their attempts, with the money of their settlements. */
export function records({ store }: AdminDeps) {
  return new Elysia()
    .get('/records', ({ query }) => listOf(query, BY_ID, (page) => store.reader.records(page), view), {
      query: Type.Object(pageQuery),
      detail: operationDoc(recordsDoc.list),
    })
    .get(
      '/records/:request',
      async ({ params }) => {
        const record = await store.reader.record(params.request)
        if (record === null)
          throw new GatewayError('not_found', `There is no record of '${params.request.slice(0, 200)}'.`)
        return view(record)
      },
      { detail: operationDoc(recordsDoc.show) },
    )
}

const attemptView = ({ possibleCost, ...attempt }: AttemptRecord): object => ({
  ...Object(snakeCase(attempt)),
  ...amount('possible_cost', possibleCost),
})

function view({ settlement, timing, attempts, ...rest }: StoredRecord): object {
  return {
    ...Object(snakeCase(rest)),
    attempts: attempts.map(attemptView),
    timing: {
      ...Object(snakeCase(timing)),
      stages: Object.fromEntries(timing.stages.map(([name, us]) => [`${name}_us`, us])),
    },
    settlement:
      settlement === null
        ? null
        : {
            end: settlement.end,
            reason: settlement.reason,
            usage: snakeCase(settlement.usage),
            usage_source: settlement.usageSource,
            owner: settlement.owner,
            ...amount('cost', settlement.cost),
            ...amount('charged', settlement.charged),
            ...amount('held', settlement.held),
          },
  }
}
