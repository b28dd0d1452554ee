import { GatewayError, type RoutePlan, type Skip } from '../../domain/index.ts'
import type { Rule } from './rule.ts'
import { contextLength } from './rules/context-length.ts'
import { dataHandling, KEEPS_DATA, MAY_TRAIN } from './rules/data-handling.ts'
import { enabled } from './rules/enabled.ts'
import { rules } from './rules/index.ts'
import { notCooling } from './rules/not-cooling.ts'
import { notQuarantined } from './rules/not-quarantined.ts'
import { ownUsable } from './rules/own-usable.ts'
import { NOT_THIS_BACKEND, permitted } from './rules/permitted.ts'
import { priced } from './rules/priced.ts'
import { serves } from './rules/serves.ts'
import { sovereignty } from './rules/sovereignty.ts'

const EMPTY_PLAN_RETRY_MS = 30_000

const namesOf = (...all: readonly Rule[]): ReadonlySet<string> => new Set(all.map(({ name }) => name))

/** Rules that account and key bind a request by. */
const BINDING_RULES = namesOf(permitted, sovereignty, dataHandling)
/** Rules whose skips last until somebody changes the account, the key or the configuration. */
const LASTING_RULES = namesOf(permitted, sovereignty, dataHandling, priced)
/** Rules whose skips pass by themselves. */
const PASSING_RULES = namesOf(notQuarantined, notCooling, ownUsable)
/** Rules that only the caller's own wishes set, and OpenRouter's words for them. */
const WISHES: ReadonlyMap<string, string> = new Map(
  rules.flatMap((rule) => (rule.kind === 'filter' && rule.wish !== undefined ? [[rule.name, rule.wish] as const] : [])),
)
const WISHED_IN_ORDER: readonly string[] = [...WISHES.keys()]

/**
 * The refusal of a plan without candidates: 403 or 404 when account and key are the reason, 404 or 400 when the request's own wishes are, else 503,
 * with Retry-After when waiting can help: the first end of a quarantine, where one ends by itself. Throws.
 */
export function refuseEmptyPlan(plan: RoutePlan, nowMs: number): void {
  if (plan.candidates.length > 0) return
  const { model } = plan
  const extra = { skips: plan.skips.map(({ rule, reason }) => ({ rule, reason })) }
  const bound = boundBy(plan)
  if (bound !== null)
    throw new GatewayError(bound, boundMessage(bound, plan), {
      param: 'model',
      ...(bound === 'model_not_permitted' ? {} : { extra: { ...extra, excluded_by: excludedBy(plan.skips) } }),
    })
  if (isWishedAway(plan)) throw wishedAway(plan, extra)
  const reasons = [...new Set(plan.skips.map((skip) => skip.reason))].join('; ') || 'it has no offer'
  // Where waiting cannot help, an SDK told to come back in 30 s would keep its caller waiting for nothing.
  const passing = plan.skips.some((skip) => !LASTING_RULES.has(skip.rule))
  throw new GatewayError('no_backend', `No backend can serve the model '${model}' now: ${reasons}.`, {
    extra,
    ...(passing ? { retryAfterMs: waitMs(plan, nowMs) } : { retryable: false }),
  })
}

/** Somebody would be left if the request asked for less, and nobody comes back by waiting. */
const isWishedAway = ({ skips }: RoutePlan): boolean =>
  skips.some(({ rule }) => WISHES.has(rule)) && !skips.some(({ rule }) => PASSING_RULES.has(rule))

function wishedAway({ model, skips }: RoutePlan, extra: Readonly<Record<string, unknown>>): GatewayError {
  const wished = skips.filter(({ rule }) => WISHES.has(rule))
  const reasons = [...new Set(wished.map(({ reason }) => reason))].join('; ')
  const details = { extra: { ...extra, excluded_by: excludedBy(skips) } }
  if (wished.every(({ rule }) => rule === serves.name))
    return new GatewayError('wrong_endpoint', `The model '${model}' cannot be asked this: ${reasons}.`, {
      param: 'model',
      ...details,
    })
  const furthest = WISHED_IN_ORDER.findLast((name) => wished.some(({ rule }) => rule === name))
  return furthest === contextLength.name
    ? new GatewayError('context_length_exceeded', `The prompt is too long for the model '${model}': ${reasons}.`, {
        param: 'messages',
        ...details,
      })
    : new GatewayError(
        'no_matching_backend',
        `No backend of the model '${model}' is as this request asks: ${reasons}.`,
        details,
      )
}

type BoundCode = 'model_not_permitted' | 'region_restricted' | 'privacy_restricted'

/** The refusal where every offer that is switched on is dropped for account and key, by the last rule that one of them came to; else null. */
function boundBy({ skips }: RoutePlan): BoundCode | null {
  const names = new Set(skips.map(({ rule }) => rule))
  names.delete(enabled.name)
  names.delete('known-model')
  if (names.size === 0 || ![...names].every((name) => BINDING_RULES.has(name))) return null
  if (names.has(dataHandling.name)) return 'privacy_restricted'
  return names.has(sovereignty.name) ? 'region_restricted' : 'model_not_permitted'
}

function boundMessage(code: BoundCode, { model, skips }: RoutePlan): string {
  switch (code) {
    case 'privacy_restricted':
      return `No provider of the model '${model}' handles data as this request, key or account asks for.`
    case 'region_restricted':
      return `No region that this key may use offers the model '${model}'.`
    case 'model_not_permitted':
      return skips.some(({ reason }) => reason === NOT_THIS_BACKEND)
        ? `This key may not use any backend of the model '${model}'.`
        : `This key may not use the model '${model}'.`
  }
}

/** OpenRouter's words for it. */
const excludedBy = (skips: readonly Skip[]): readonly string[] => [
  ...new Set(skips.flatMap(({ rule, reason }) => WISHES.get(rule) ?? WORDS.get(rule) ?? DATA_WORDS.get(reason) ?? [])),
]

const WORDS: ReadonlyMap<string, string> = new Map([[sovereignty.name, 'data_region']])

const DATA_WORDS: ReadonlyMap<string, string> = new Map([
  [KEEPS_DATA, 'data_policy:zdr'],
  [MAY_TRAIN, 'data_policy:training'],
])

function waitMs({ skips }: RoutePlan, nowMs: number): number {
  const ends = skips.flatMap(({ untilMs }) => (untilMs === undefined ? [] : [untilMs]))
  return ends.length === 0 ? EMPTY_PLAN_RETRY_MS : Math.min(...ends) - nowMs
}
