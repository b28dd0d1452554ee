import { Elysia } from 'elysia'
import {
  formatUsd,
  money,
  type Offer,
  type Price,
  type PriceTier,
  type PriceTime,
  type Router,
} from '../../domain/index.ts'
import type { NotFound } from '../../telemetry/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import type { AdminDeps } from './deps.ts'
import { modelsDoc } from './models-doc.ts'
import { snakeCase } from './snake-case.ts'

/** `/models`: the catalogue, with every offer and its price. */
export function models({ catalogue, notFound }: AdminDeps) {
  const list = () => {
    const { models: all, aliases, routers, version } = catalogue()
    const aliasesOf = Map.groupBy(aliases, ([, model]) => model)
    const data = [...all.values()].map((model) => ({
      id: model.id,
      aliases: (aliasesOf.get(model.id) ?? []).map(([alias]) => alias),
      context_tokens_max: model.contextTokensMax,
      output_tokens_max: model.outputTokensMax,
      capabilities: model.capabilities,
      offers: model.offers.map((offer) => ({ ...offerView(offer), not_found: notFoundView(notFound().get(offer.id)) })),
    }))
    return { version, data, routers: [...routers.values()].map(routerView), has_more: false, next: null }
  }
  return new Elysia().get('/models', list, { detail: operationDoc(modelsDoc.list) })
}

/** An offer for operators. Prices per million units: `input` in nano-dollars, `input_usd` in decimal dollars, and so on by kind. */
export const offerView = (offer: Offer): object => ({
  offer: offer.id,
  backend: offer.backend.id,
  provider: offer.backend.provider.id,
  provider_model: offer.providerModel,
  enabled: offer.enabled && offer.backend.enabled,
  region: offer.backend.region,
  operations: offer.operations ?? null,
  capabilities: offer.capabilities ?? null,
  parameters: offer.parameters ?? null,
  quantization: offer.quantization ?? null,
  weight: offer.weight ?? 1,
  price: priceView(offer.price),
  cost: priceView(offer.cost),
})

const routerView = ({ id, by, freeOnly, needs, models: its }: Router): object => ({
  id,
  by,
  free_only: freeOnly,
  needs,
  models: its.map((model) => model.id),
})

const notFoundView = (seen: NotFound | undefined): object | null =>
  seen === undefined ? null : { times: seen.times, last_at_ms: seen.lastAtMs }

function priceView(price: Price | null): object | null {
  if (price === null) return null
  const { tiers, times, ...base } = price
  return Object(snakeCase({ ...inDollars(base), tiers: tiers?.map(tierView), times: times?.map(timeView) }))
}

const tierView = ({ promptTokensFrom, ...rates }: PriceTier): object => ({ promptTokensFrom, ...inDollars(rates) })

function timeView({ fromMs, hours, price }: PriceTime): object {
  const between = hours === null ? {} : { fromMsOfDay: hours[0], untilMsOfDay: hours[1] }
  return { fromMs, ...between, price: priceView(price) }
}

function inDollars(rates: Omit<Price, 'tiers' | 'times'>): object {
  const kinds: [string, number][] = Object.entries(rates).filter(([, nano]) => nano !== undefined)
  return { ...rates, ...Object.fromEntries(kinds.map(([kind, nano]) => [`${kind}Usd`, formatUsd(money(nano))])) }
}
