import { Elysia } from 'elysia'
import type { Offer, Price } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'
import { snakeCase } from './wire.ts'

/** `/models`: the catalogue, with every offer and its price. */
export function models({ catalogue }: AdminDeps) {
  return new Elysia().get('/models', () => {
    const { models: all, aliases, version } = catalogue()
    const data = [...all.values()].map((model) => ({
      id: model.id,
      aliases: [...aliases].filter(([, id]) => id === model.id).map(([alias]) => alias),
      context_tokens_max: model.contextTokensMax,
      output_tokens_max: model.outputTokensMax,
      capabilities: model.capabilities,
      offers: model.offers.map(offerView),
    }))
    return { version, data, has_more: false, next: null }
  })
}

/** An offer for operators. Prices in nano-dollars per million units. */
export const offerView = (offer: Offer): object => ({
  offer: offer.id,
  backend: offer.backend.id,
  provider: offer.backend.provider.id,
  provider_model: offer.providerModel,
  enabled: offer.enabled && offer.backend.enabled,
  region: offer.backend.region,
  price: priceView(offer.price),
  cost: priceView(offer.cost),
})

const priceView = (price: Price | null): unknown => (price === null ? null : snakeCase(price))
