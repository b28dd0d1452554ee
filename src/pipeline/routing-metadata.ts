import { surfaceOf } from '../dialects/index.ts'
import { type Candidate, modelOfOffer } from '../domain/index.ts'
import type { Call } from './call.ts'

const HEADER = 'x-openrouter-metadata'

/** How a request was routed, in OpenRouter's words (OPENROUTER.md, 2c). `serving` is who answers; null: nobody did. */
export function routingMetadata(call: Call, serving: Candidate | null): object {
  const { plan, skips, attempts } = call
  const failed = attempts.filter(({ outcome }) => outcome !== 'succeeded')
  const sent = failed.length + (serving === null ? 0 : 1)
  const offers = new Map(plan.map(({ offer }) => [offer.id, offer])) // each once, with however many credentials it is tried
  const passedOver = new Set(skips.map(({ offer }) => offer))
  return {
    requested: call.modelAsked,
    strategy: strategyOf(call, serving),
    region: call.settings.replies.hideBackends ? null : (serving?.offer.backend.region ?? null),
    summary: summaryOf(
      offers.size,
      passedOver.size,
      serving === null ? null : shownProvider(call, serving.offer.backend.id),
    ),
    attempt: sent,
    is_byok: serving?.own !== undefined,
    endpoints: {
      total: new Set([...offers.keys(), ...passedOver]).size,
      available: [...offers.values()].map(({ id, backend, model }) => ({
        provider: shownProvider(call, backend.id),
        model,
        selected: id === serving?.offer.id,
      })),
    },
    attempts: [
      ...failed.map(({ backend, offer, status }) => ({
        provider: shownProvider(call, backend),
        model: modelOfOffer(offer),
        status: status ?? 0,
      })),
      ...(serving === null
        ? []
        : [{ provider: shownProvider(call, serving.offer.backend.id), model: serving.offer.model, status: 200 }]),
    ],
    params: {},
    pipeline: [],
  }
}

/** Whether the caller asks for `openrouter_metadata`, in a form of answer that has a place for it. */
export const wantsMetadata = ({ arrival }: Call): boolean =>
  surfaceOf(arrival.surface).isStamped && arrival.request.headers.get(HEADER)?.toLowerCase() === 'enabled'

function strategyOf({ modelAsked, router, fallbacks, model }: Call, serving: Candidate | null): string {
  if (router !== null) return router.endsWith('/free') ? 'free' : 'auto'
  const served = serving?.offer.model ?? model
  if (served === null || modelAsked === null) return 'direct'
  if (modelAsked === served || modelAsked.startsWith(`${served}:`)) return 'direct'
  return fallbacks.some((name) => name === served || name.startsWith(`${served}:`)) ? 'fallback' : 'alias'
}

function summaryOf(candidates: number, passedOver: number, provider: string | null): string {
  const considered = `${candidates} could serve, ${passedOver} passed over`
  return provider === null ? `${considered}, nobody served` : `${considered}, served by ${provider}`
}

/** Who answers in the place of a provider: where backends are hidden, and of a stream that nobody answered. */
export const GATEWAY = 'anyrouter'

/** By its provider's id, as answers name it. */
function shownProvider({ plan, settings }: Call, backend: string): string {
  if (settings.replies.hideBackends) return GATEWAY
  return plan.find(({ offer }) => offer.backend.id === backend)?.offer.backend.provider.id ?? backend
}
