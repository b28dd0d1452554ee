import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { jsonAnswer, operationDoc } from './document/operation-doc.ts'

export interface HealthParts {
  /** Whether requests can be served: the database is open and some backend is usable. Words when not. */
  readiness(): { readonly ready: boolean; readonly reason: string | null }
  /** What every answer carries. */
  ids(): Readonly<Record<string, string>>
}

/** `/healthz`: the process is alive; `/readyz`: it can serve. */
export function health({ readiness, ids }: HealthParts) {
  return new Elysia()
    .get('/healthz', () => Response.json({ status: 'ok' }, { headers: ids() }), { detail: ALIVE })
    .get(
      '/readyz',
      () => {
        const { ready, reason } = readiness()
        return Response.json(
          { status: ready ? 'ready' : 'not ready', reason },
          { status: ready ? 200 : 503, headers: ids() },
        )
      },
      { detail: READY },
    )
}

const ALIVE = operationDoc({
  tag: 'Health',
  summary: 'Whether the process is alive',
  access: 'anybody',
  answer: jsonAnswer(200, 'It is.', Type.Object({ status: Type.Literal('ok') }), { status: 'ok' }),
})

const readiness = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
  reason: Type.Union([Type.String(), Type.Null()]),
})

const READY = operationDoc({
  tag: 'Health',
  summary: 'Whether requests can be served',
  description:
    'The database can be written, a backend is configured, enabled and not quarantined, and the server does not drain.',
  access: 'anybody',
  answer: jsonAnswer(200, 'Send requests.', readiness, { status: 'ready', reason: null }),
  otherAnswer: jsonAnswer(503, 'Send them elsewhere; `reason` says why.', readiness, {
    status: 'not ready',
    reason: 'draining',
  }),
})
