import type { BackendId, Catalogue, Offer } from '../../domain/index.ts'

/** The catalogue as if there were no other backend. */
export function onlyBackend(catalogue: Catalogue, backend: BackendId): Catalogue {
  const narrowed = [...catalogue.models].map(
    ([id, model]) => [id, { ...model, offers: model.offers.filter((offer) => offer.backend.id === backend) }] as const,
  )
  const models = new Map(narrowed.filter(([, { offers }]) => offers.length > 0))
  const aliases = new Map([...catalogue.aliases].filter(([, model]) => models.has(model)))
  return { ...catalogue, models, aliases, routers: new Map() } // a smoke names its model
}

/** The model to try where none is named: the cheapest that costs something, then any with a price, then any. Null when there is none. */
export function cheapestModel(catalogue: Catalogue): string | null {
  const offers = [...catalogue.models.values()].flatMap((model) => model.offers.filter(({ enabled }) => enabled))
  const [first] = offers.sort((one, other) => rankOf(one) - rankOf(other) || priceOf(one) - priceOf(other))
  return first?.model ?? null
}

/** Offers that are free or without a price come last: they are often limited, or of another kind. */
const rankOf = (offer: Offer): number => (offer.price === null ? 2 : priceOf(offer) === 0 ? 1 : 0)

const priceOf = ({ price }: Offer): number =>
  price === null ? 0 : price.input + price.output + (price.perRequest ?? 0)
