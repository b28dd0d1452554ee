import { Elysia } from 'elysia'
import type { AgentStats } from '../../agents/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { slotsDoc } from './slots-doc.ts'
import { snakeCase } from './snake-case.ts'

/** The path to a backend is shown with the backend. */
const countsOf = ({ path: _path, ...counts }: AgentStats): object => counts

/** `/slots`: what is in progress now, in all and at each backend. */
export function slots({ agentStats, traffic, ledger, store }: AdminDeps) {
  return new Elysia().get(
    '/slots',
    () => ({
      in_flight: traffic.inFlight,
      waiters: traffic.waiters,
      ledger: snakeCase(ledger.stats()),
      writer: snakeCase(store.writer.stats()),
      data: [...agentStats()].map(([backend, stats]) => ({ backend, ...Object(snakeCase(countsOf(stats))) })),
    }),
    { detail: operationDoc(slotsDoc.list) },
  )
}
