import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { EXPOSITION_TYPE } from '../telemetry/index.ts'
import { requireScope } from './admin/caller.ts'
import type { OutsideRequest } from './admin/index.ts'
import { type AnswerDoc, operationDoc } from './document/operation-doc.ts'

export interface MetricsParts {
  /** The way to them for who comes over the network. */
  metrics(outside: OutsideRequest): Promise<Response>
}

/** `/metrics` on the public port. */
export function metrics(parts: MetricsParts) {
  return new Elysia().get('/metrics', ({ request }) => parts.metrics({ request, liftIdleLimit: () => {} }), {
    detail: METRICS,
  })
}

/** What answers a caller who is known: with the scope `read` the metrics, as they stand now. Throws 403. */
export const metricsFor = (text: () => string, ids: () => Readonly<Record<string, string>>) => ({
  async handle(request: Request): Promise<Response> {
    requireScope(request, 'read', 'This')
    return metricsAnswer(text(), ids())
  },
})

/** The metrics as they are scraped. */
export const metricsAnswer = (text: string, ids: Readonly<Record<string, string>> = {}): Response =>
  new Response(text, { headers: { ...ids, 'content-type': EXPOSITION_TYPE, 'cache-control': 'no-store' } })

const EXAMPLE = `# HELP anyrouter_requests_in_flight Requests in progress, streams among them.
# TYPE anyrouter_requests_in_flight gauge
anyrouter_requests_in_flight 3
`

const text: AnswerDoc = {
  status: 200,
  description: "All metrics in Prometheus's text format. docs/operating/metrics.md lists them.",
  content: { 'text/plain': { schema: Type.String(), example: EXAMPLE } },
}

const METRICS = operationDoc({
  tag: 'Health',
  summary: 'Scrape the metrics',
  description: 'A listener of its own (`metrics.listen`) serves them without a key.',
  access: 'management',
  answer: text,
})
