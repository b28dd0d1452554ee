import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { DAY_MS } from '../../lib/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps } from './deps.ts'
import { findBackend } from './find-backend.ts'
import { wholeList } from './list-of.ts'
import { nameOf } from './name-of.ts'
import { quarantineDoc } from './quarantine-doc.ts'
import { backendView, NOT_OUT } from './quarantine-view.ts'
import { readJson } from './read-json.ts'

const MS_MAX = 10 * 366 * DAY_MS

const wish = Type.Object(
  {
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'For other operators; callers never see it.' }),
    for_ms: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MS_MAX, description: 'How long; until it is cleared when absent.' }),
    ),
  },
  { additionalProperties: false },
)

/** `/quarantine`: what speaks against backends; an operator takes one out, and lets it in again whatever it was. */
export function quarantine(deps: AdminDeps) {
  const { health } = deps
  return new Elysia()
    .get(
      '/quarantine',
      () => {
        const configured = [...deps.catalogue().backends.keys()]
        const ids = new Set([...configured, ...health.rows().map(({ backend }) => backend)])
        return wholeList([...ids].sort().flatMap((backend) => backendView(deps, backend) ?? []))
      },
      { detail: operationDoc(quarantineDoc.list) },
    )
    .put(
      '/quarantine/:backend',
      async ({ body, params, request }) => {
        const { id: backend } = findBackend(deps, params.backend)
        const { for_ms: forMs = null } = body
        await health.set({ backend, reason: nameOf(body.reason, 'reason'), forMs }, byCaller(request))
        return backendView(deps, backend) ?? { backend, configured: true, state: 'in', ...NOT_OUT, causes: [] } // cleared meanwhile
      },
      { body: wish, parse: readJson, detail: operationDoc(quarantineDoc.set) },
    )
    .delete(
      '/quarantine/:backend',
      async ({ params: { backend }, request }) => {
        if (backendView(deps, backend) === null) {
          const { id } = findBackend(deps, backend) // a slip of the pen is told as one
          throw new GatewayError('not_found', `Nothing keeps the backend '${id}' out.`, { param: 'backend' })
        }
        await health.clear(backend, byCaller(request))
        return { backend, cleared: true }
      },
      { parse: 'none', detail: operationDoc(quarantineDoc.clear) },
    )
}
