import { type AttemptRecord, isOwnPlace, type Outcome, type Skip, type Stickiness } from '../../domain/index.ts'
import type { Family } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** Counts requests as they end. */
export interface RequestMetrics {
  /** Once for each request, when everything is known of it. A few plain additions: it is on every request's way. */
  concluded(request: ConcludedRequest): void
  families(): readonly Family[]
  /** Offers, by id, whose backend answered 404 and that have not served since: it may not know them under that name. */
  notFound(): ReadonlyMap<string, NotFound>
}

/** How often an offer was not found since it last served, and when the latest request of them came, in ms since 1970. */
export interface NotFound {
  readonly times: number
  readonly lastAtMs: number
}

/**
 * What is counted of a request. Every text in it that becomes a label is named in code or in the configuration, never by a caller or a
 * provider: the number of series is bounded.
 */
export interface ConcludedRequest {
  readonly operation: string
  /** Of the answer; below 600. */
  readonly status: number
  /** Of the catalogue; a stream may fail after its status. */
  readonly errorCode: string | null
  readonly stream: boolean
  readonly startedAtMs: number
  readonly timing: {
    readonly gwUs: number
    readonly stages: readonly (readonly [name: string, us: number])[]
    /** To the answer's head: of a stream that is served, to its first content. */
    readonly totalUs: number
    readonly endedUs: number
  }
  readonly skips: readonly Pick<Skip, 'rule'>[]
  readonly stickiness?: Pick<Stickiness, 'kind'>
  readonly attempts: readonly Pick<AttemptRecord, 'offer' | 'backend' | 'outcome' | 'status' | 'absorbed'>[]
}

const MS = 1000
const S = 1_000_000
const GW_BOUNDS = [25, 50, 100, 250, 500, MS, 2.5 * MS, 5 * MS, 10 * MS, 25 * MS, 100 * MS, 250 * MS, S, 2.5 * S]
const CONTENT_BOUNDS = [25, 50, 100, 200, 300, 500, 750, 1000, 1500, 2500, 5000, 10_000, 30_000, 120_000].map(inUs)
const WHOLE_BOUNDS = [50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000].map(inUs)

function inUs(durationMs: number): number {
  return durationMs * MS
}

const STATUS_MAX = 600
/** The label of all accounts' own places together: each of its own would be named by customers. */
const OWN_PLACES = 'own:*'
const SERVED = 200
const NOT_FOUND = 404

/** As a record, so that none can be forgotten. */
const OUTCOME_AT: Readonly<Record<Outcome['kind'], number>> = {
  succeeded: 0,
  refused: 1,
  too_long: 2,
  throttled: 3,
  denied: 4,
  unsent: 5,
  failed: 6,
  broken: 7,
  cancelled: 8,
}
const OUTCOMES = Object.keys(OUTCOME_AT)
/** How an attempt may end that gave content. */
const SERVING: readonly Outcome['kind'][] = ['succeeded', 'broken', 'cancelled']

interface OperationCounts {
  readonly statuses: Float64Array
  readonly whole: Histogram
}

interface BackendCounts {
  readonly outcomes: Float64Array
  readonly firstContent: Histogram
  absorbed: number
}

/** Makes the counts of requests, all zero. */
export function createRequestMetrics(): RequestMetrics {
  const gw = new Histogram(GW_BOUNDS)
  const stages = new Map<string, Histogram>()
  const skips = new Map<string, number>()
  const errors = new Map<string, number>()
  const operations = new Map<string, OperationCounts>()
  const backends = new Map<string, BackendCounts>()
  const notFound = new Map<string, NotFound>()
  const sessions = new Map<string, number>()
  return {
    concluded(request) {
      const { timing, attempts, errorCode, startedAtMs } = request
      gw.observe(timing.gwUs)
      for (const [name, us] of timing.stages) had(stages, name, gwHistogram).observe(us)
      const operation = had(operations, request.operation, operationCounts)
      operation.statuses[request.status] = (operation.statuses[request.status] ?? 0) + 1
      operation.whole.observe(timing.endedUs)
      if (errorCode !== null) errors.set(errorCode, (errors.get(errorCode) ?? 0) + 1)
      for (const { rule } of request.skips) skips.set(rule, (skips.get(rule) ?? 0) + 1)
      const kind = request.stickiness?.kind
      if (kind !== undefined) sessions.set(kind, (sessions.get(kind) ?? 0) + 1)
      let serving: BackendCounts | null = null
      for (const { offer, backend, outcome, status, absorbed } of attempts) {
        const isPlaced = isOwnPlace(backend)
        const counts = had(backends, isPlaced ? OWN_PLACES : backend, backendCounts)
        const at = OUTCOME_AT[outcome]
        counts.outcomes[at] = (counts.outcomes[at] ?? 0) + 1
        if (absorbed) counts.absorbed++
        serving = SERVING.includes(outcome) ? counts : null
        if (isPlaced) continue
        if (outcome === 'refused' && status === NOT_FOUND) {
          notFound.set(offer, { times: (notFound.get(offer)?.times ?? 0) + 1, lastAtMs: startedAtMs })
        } else if (outcome === 'succeeded' && notFound.size > 0) notFound.delete(offer)
      }
      if (request.stream && request.status === SERVED) serving?.firstContent.observe(timing.totalUs)
    },
    families: () => [
      ...requestFamilies(operations, errors),
      ...gwFamilies(gw, stages, skips),
      sessionFamily(sessions),
      ...attemptFamilies(backends),
    ],
    notFound: () => notFound,
  }
}

const gwHistogram = (): Histogram => new Histogram(GW_BOUNDS)
const operationCounts = (): OperationCounts => ({
  statuses: new Float64Array(STATUS_MAX),
  whole: new Histogram(WHOLE_BOUNDS),
})
const backendCounts = (): BackendCounts => ({
  outcomes: new Float64Array(OUTCOMES.length),
  firstContent: new Histogram(CONTENT_BOUNDS),
  absorbed: 0,
})

function had<Value>(map: Map<string, Value>, name: string, make: () => Value): Value {
  const known = map.get(name)
  if (known !== undefined) return known
  const made = make()
  map.set(name, made)
  return made
}

function requestFamilies(
  operations: ReadonlyMap<string, OperationCounts>,
  errors: ReadonlyMap<string, number>,
): Family[] {
  const all = [...operations]
  return [
    {
      name: 'anyrouter_requests_total',
      help: 'Requests that have ended, by operation and status of the answer.',
      type: 'counter',
      series: all.flatMap(([operation, { statuses }]) =>
        counted(statuses).map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
      ),
    },
    {
      name: 'anyrouter_errors_total',
      help: 'Requests that failed, by the code of the error, streams with status 200 among them.',
      type: 'counter',
      series: [...errors].map(([code, value]) => ({ labels: { code }, value })),
    },
    {
      name: 'anyrouter_request_seconds',
      help: 'From the arrival of a request to the end of its answer or stream.',
      type: 'histogram',
      series: all.map(([operation, { whole }]) => ({ labels: { operation }, histogram: whole })),
    },
  ]
}

function gwFamilies(
  gw: Histogram,
  stages: ReadonlyMap<string, Histogram>,
  skips: ReadonlyMap<string, number>,
): Family[] {
  return [
    {
      name: 'anyrouter_gw_seconds',
      help: "The gateway's own time before the first attempt, as gw of Server-Timing.",
      type: 'histogram',
      series: [{ histogram: gw }],
    },
    {
      name: 'anyrouter_gw_stage_seconds',
      help: 'Its stages, as gw-* of Server-Timing; wait is the time in line for a slot.',
      type: 'histogram',
      series: [...stages].map(([stage, histogram]) => ({ labels: { stage }, histogram })),
    },
    {
      name: 'anyrouter_skips_total',
      help: 'Candidates passed over, by the rule that did.',
      type: 'counter',
      series: [...skips].map(([rule, value]) => ({ labels: { rule }, value })),
    },
  ]
}

const sessionFamily = (sessions: ReadonlyMap<string, number>): Family => ({
  name: 'anyrouter_sticky_total',
  help: 'Requests of sessions that were served, by what became of the session.',
  type: 'counter',
  series: [...sessions].map(([result, value]) => ({ labels: { result }, value })),
})

function attemptFamilies(backends: ReadonlyMap<string, BackendCounts>): Family[] {
  const all = [...backends]
  return [
    {
      name: 'anyrouter_attempts_total',
      help: 'Requests sent to backends, and dials that came to nothing (unsent), by how they ended.',
      type: 'counter',
      series: all.flatMap(([backend, { outcomes }]) =>
        OUTCOMES.map((outcome, at) => ({ labels: { backend, outcome }, value: outcomes[at] ?? 0 })),
      ),
    },
    {
      name: 'anyrouter_attempts_absorbed_total',
      help: 'Attempts that served nobody and may have been billed by the provider.',
      type: 'counter',
      series: all.map(([backend, { absorbed }]) => ({ labels: { backend }, value: absorbed })),
    },
    {
      name: 'anyrouter_first_content_seconds',
      help: 'Streams: from the arrival of a request to its first content, by the backend that served it.',
      type: 'histogram',
      series: all.map(([backend, { firstContent }]) => ({ labels: { backend }, histogram: firstContent })),
    },
  ]
}

const counted = (counts: Float64Array): [at: number, value: number][] =>
  [...counts.entries()].filter(([, value]) => value > 0)
