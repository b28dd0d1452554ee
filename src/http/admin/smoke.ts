import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { operationDoc } from '../document/operation-doc.ts'
import { amount } from './amount.ts'
import { byCaller } from './caller.ts'
import type { AdminDeps, SmokeProbeShown } from './deps.ts'
import { findBackend } from './find-backend.ts'
import { readJson } from './read-json.ts'
import { smokeDoc } from './smoke-doc.ts'
import { snakeCase } from './snake-case.ts'

const wish = Type.Object(
  {
    model: Type.Optional(
      Type.String({ minLength: 1, description: 'Id or alias; the cheapest the backend offers when absent.' }),
    ),
  },
  { additionalProperties: false },
)

/** `/backends/{backend}/smoke`: small real requests through the gateway's own pipeline, to this backend alone. */
export function smoke(deps: AdminDeps) {
  return new Elysia().post(
    '/backends/:backend/smoke',
    async ({ params, body, request }) => {
      const backend = findBackend(deps, params.backend)
      const report = await deps.smoke({ backend, model: body.model ?? null, by: byCaller(request) })
      const { probes } = report
      return { ...report, ok: probes.length > 0 && probes.every(({ isOk }) => isOk), probes: probes.map(view) }
    },
    { body: wish, parse: readJson, detail: operationDoc(smokeDoc.run) },
  )
}

function view({ isOk, timing, usage, cost, requestId, ...rest }: SmokeProbeShown): object {
  return {
    ...rest,
    ok: isOk,
    request_id: requestId,
    timing:
      timing === null
        ? null
        : {
            gw_us: timing.gwUs,
            upstream_us: timing.upstreamUs,
            post_us: timing.postUs,
            total_us: timing.totalUs,
            ended_us: timing.endedUs,
          },
    usage: snakeCase(usage),
    ...amount('cost', cost),
  }
}
