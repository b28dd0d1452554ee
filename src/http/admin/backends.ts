import { Elysia } from 'elysia'
import { offersOf } from '../../catalogue/index.ts'
import type { Backend } from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { backendsDoc } from './backends-doc.ts'
import type { AdminDeps } from './deps.ts'
import { findBackend } from './find-backend.ts'
import { wholeList } from './list-of.ts'
import { observedView } from './observed-view.ts'
import { pathView } from './path-view.ts'
import { quarantineView } from './quarantine-view.ts'

/** `/backends`: where requests can be sent, what each offers, and how it is doing now. */
export function backends(deps: AdminDeps) {
  return new Elysia()
    .get('/backends', () => wholeList([...deps.catalogue().backends.values()].map((backend) => view(deps, backend))), {
      detail: operationDoc(backendsDoc.list),
    })
    .get('/backends/:backend', ({ params }) => view(deps, findBackend(deps, params.backend)), {
      detail: operationDoc(backendsDoc.show),
    })
}

/** A backend that was never used has no agent yet: all of its slots are free. */
function view({ catalogue, agentStats, health }: AdminDeps, backend: Backend): object {
  const stats = agentStats().get(backend.id)
  const slots = stats?.slots ?? backend.slots
  const busy = stats?.slotsTaken ?? 0
  const exclusion = health.exclusion(backend.id)
  const offers = offersOf(catalogue(), backend.id)
  const observed = health.observedOf(offers.map(({ id }) => id))
  return {
    id: backend.id,
    url: backend.baseUrl,
    provider: backend.provider.id,
    ownership: backend.provider.ownership,
    region: backend.region,
    dialects: backend.dialects,
    enabled: backend.enabled,
    slots,
    slots_busy: busy,
    slots_free: Math.max(0, slots - busy),
    waiters: stats?.waiters ?? 0,
    connections_open: stats?.connectionsOpen ?? 0,
    connections_idle: stats?.connectionsIdle ?? 0,
    path: stats === undefined ? null : pathView(stats),
    health: health.stateOf(backend.id),
    quarantine: exclusion === null ? null : quarantineView(exclusion),
    observed: observed === null ? null : observedView(observed),
    models: offers.filter(({ enabled }) => enabled).map(({ model }) => model),
  }
}
