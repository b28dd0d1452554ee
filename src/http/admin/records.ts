import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import type { StoredRecord } from '../../store/index.ts'
import type { AdminDeps } from './deps.ts'
import { amount, listOf, pageOf, pageQuery, snakeCase, usageView } from './wire.ts'

/** `/records`: requests and their attempts, with the money of their settlements. */
export function records({ store }: AdminDeps) {
  return new Elysia()
    .get(
      '/records',
      async ({ query }) => {
        const page = pageOf(query)
        return listOf(await store.reader.records(page), page, ({ requestId }) => requestId, view)
      },
      { query: Type.Object(pageQuery) },
    )
    .get('/records/:request', async ({ params }) => {
      const record = await store.reader.record(params.request)
      if (record === null)
        throw new GatewayError('not_found', `There is no record of '${params.request.slice(0, 200)}'.`)
      return view(record)
    })
}

function view({ settlement, timing, ...rest }: StoredRecord): object {
  return {
    ...Object(snakeCase(rest)),
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
            usage: usageView(settlement.usage),
            usage_source: settlement.usageSource,
            ...amount('cost', settlement.cost),
            ...amount('charged', settlement.charged),
            ...amount('held', settlement.held),
          },
  }
}
