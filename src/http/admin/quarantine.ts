import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { findBackend } from './find-backend.ts'
import { nameOf } from './name-of.ts'
import { quarantineDoc } from './quarantine-doc.ts'
import { quarantineView } from './quarantine-view.ts'
import { readJson } from './read-json.ts'

const MS_MAX = 10 * 366 * 86_400_000

const wish = Type.Object(
  {
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'For other operators; callers never see it.' }),
    for_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MS_MAX, description: 'How long; until it is cleared when absent.' }),
    ),
  },
  { additionalProperties: false },
)

/** `/quarantine`: which backends are out and why; an operator takes one out, and lets it in again. */
export function quarantine(deps: AdminDeps) {
  const { health } = deps
  return new Elysia()
    .get(
      '/quarantine',
      () => {
        const known = deps.catalogue().backends
        const data = [...health.quarantine().keys()].sort().flatMap((backend) => {
          const exclusion = health.exclusion(backend)
          return exclusion === null ? [] : [{ backend, configured: known.has(backend), ...quarantineView(exclusion) }]
        })
        return { data, has_more: false, next: null }
      },
      { detail: operationDoc(quarantineDoc.list) },
    )
    .put(
      '/quarantine/:backend',
      async ({ body, params, request }) => {
        const { id: backend } = findBackend(deps, params.backend)
        const { for_ms: forMs = null } = body
        await health.set({ backend, reason: nameOf(body.reason, 'reason'), forMs }, byCaller(request))
        return { backend, configured: true, ...view(deps, backend) }
      },
      { body: wish, parse: readJson, detail: operationDoc(quarantineDoc.set) },
    )
    .delete(
      '/quarantine/:backend',
      async ({ params: { backend }, request }) => {
        if (health.exclusion(backend)?.cause !== 'operator')
          throw new GatewayError('not_found', `No operator has quarantined a backend '${backend.slice(0, 200)}'.`, {
            param: 'backend',
          })
        await health.clear(backend, byCaller(request))
        return { backend, cleared: true }
      },
      { parse: 'none', detail: operationDoc(quarantineDoc.clear) },
    )
}

/** Empty when it has ended or was cleared meanwhile. */
function view({ health }: AdminDeps, backend: string): object {
  const exclusion = health.exclusion(backend)
  return exclusion === null ? {} : quarantineView(exclusion)
}
