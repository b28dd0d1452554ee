import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { slotsDoc } from './slots-doc.ts'
import { snakeCase } from './snake-case.ts'

/** `/slots`: what is in progress now, in all and at each backend. */
export function slots({ agentStats, traffic, ledger, store }: AdminDeps) {
  return new Elysia().get(
    '/slots',
    () => ({
      in_flight: traffic.inFlight,
      waiters: traffic.waiters,
      ledger: snakeCase(ledger.stats()),
      writer: snakeCase(store.writer.stats()),
      data: [...agentStats()].map(([backend, stats]) => ({ backend, ...Object(snakeCase(stats)) })),
    }),
    { detail: operationDoc(slotsDoc.list) },
  )
}
