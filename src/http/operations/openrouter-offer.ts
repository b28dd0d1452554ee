import type { DataHandling, Model, Offer } from '../../domain/index.ts'
import { type ObservedPercentiles, standingOf } from '../../health/index.ts'
import type { House } from '../../pipeline/index.ts'
import { parametersOf } from './openrouter-model.ts'
import { priceTexts } from './price-texts.ts'

/** What stands for whoever serves, where backends are hidden. */
const HIDDEN = 'anyrouter'
const PERCENT = 100

/** An offer as OpenRouter shows it: `tag` is what `provider.only` takes, times and speeds are those of the last half hour; null: not known. */
export function openrouterOffer(house: House, { id }: Pick<Model, 'id'>, offer: Offer) {
  const { hideBackends } = house.settings().replies
  const { backend } = offer
  const provider = hideBackends ? HIDDEN : backend.provider.id
  const seen = house.health.observed().of(offer.id)
  const parameters = parametersOf(offer)
  const canChoose = parameters.includes('tool_choice')
  return {
    name: `${provider} | ${id}`,
    model_id: id,
    model_name: id,
    provider_name: provider,
    tag: hideBackends || backend.id === provider ? provider : `${provider}/${backend.id}`,
    region: hideBackends ? null : backend.region,
    data_policy: dataPolicy(backend.provider.data),
    context_length: offer.contextTokensMax ?? 0, // its SDK takes no null here
    max_completion_tokens: offer.outputTokensMax,
    max_prompt_tokens: null,
    pricing: { ...priceTexts(offer.price), discount: 0 },
    quantization: offer.quantization ?? 'unknown',
    supported_parameters: parameters,
    supports_tool_choice: { none: canChoose, auto: canChoose, required: canChoose, function: canChoose },
    supports_implicit_caching: offer.price?.cachedInput !== undefined,
    status: statusOf(house, offer),
    uptime_last_5m: percent(seen?.uptime.last5m),
    uptime_last_30m: percent(seen?.uptime.last30m),
    uptime_last_1d: percent(seen?.uptime.last1d),
    latency_last_30m: percentiles(seen?.firstContentMs),
    throughput_last_30m: percentiles(seen?.throughput),
  }
}

/** What becomes of what a provider is sent, as far as its operator says: days for which it is kept, whether it is trained on. */
export const dataPolicy = (data: DataHandling | null) => ({
  retention_days: data?.retentionDays ?? null,
  training: data?.training ?? null,
})

/** 0: it is used; -1: it gets one request at a time, to be proved; -10: it is out. */
function statusOf({ health }: House, { backend }: Offer): number {
  const row = health.quarantine().get(backend.id)
  if (row === undefined) return 0
  const { kind } = standingOf(row, backend.provider.credentials, health.nowMs())
  if (kind === 'out') return -10
  return kind === 'half_open' ? -1 : 0
}

const percent = (share: number | null | undefined): number | null =>
  share == null ? null : Math.round(share * PERCENT * PERCENT) / PERCENT

function percentiles(seen: ObservedPercentiles | null | undefined) {
  if (seen == null) return null
  const { p50, p75, p90, p99 } = seen
  return { p50, p75, p90, p99 }
}
