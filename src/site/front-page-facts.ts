import {
  type Backend,
  type Catalogue,
  formatUsd,
  isFree,
  isSpokenTo,
  type Model,
  money,
  type Router,
} from '../domain/index.ts'

/** What the front page tells. It holds no key, no account and no address of a backend. */
export interface FrontPageFacts {
  readonly version: string
  /** Under which whoever looks reaches the gateway, e.g. `http://127.0.0.1:8080`. */
  readonly origin: string
  /** `unready`: there are providers, but none can be used now. */
  readonly state: 'ready' | 'unready' | 'no_provider'
  readonly models: readonly FrontPageModel[]
  /** A model can be asked in Anthropic's form. */
  readonly speaksAnthropic: boolean
  /** Those that have a model. */
  readonly routers: readonly FrontPageRouter[]
}

/** A name that stands for several models. */
export interface FrontPageRouter extends Pick<Router, 'by' | 'freeOnly' | 'id'> {
  /** Ids. */
  readonly models: readonly string[]
}

export interface FrontPageModel {
  readonly id: string
  /** Other names of it. */
  readonly aliases: readonly string[]
  /** USD per million tokens as text, e.g. `$0.15`, `from $0.15`, `free`; null: no price is set. */
  readonly inputPrice: string | null
  readonly outputPrice: string | null
  readonly contextTokensMax: number | null
  /** A first request to it is in OpenAI's form; else in Anthropic's, in which alone it can be asked. */
  readonly chats: boolean
  readonly backendsUp: number
  readonly backends: number
}

export interface FrontPageSource {
  readonly version: string
  readonly origin: string
  readonly catalogue: Catalogue
  /** What `/readyz` says. */
  readonly ready: boolean
  isUp(backend: Backend): boolean
}

/** Catalogue -> what the front page tells. Offers that an operator switched off are left out. */
export function frontPageFacts({ version, origin, catalogue, ready, isUp }: FrontPageSource): FrontPageFacts {
  const aliases = Map.groupBy(catalogue.aliases, ([, model]) => model)
  const models = [...catalogue.models.values()].map((model) =>
    modelFacts(
      model,
      (aliases.get(model.id) ?? []).map(([alias]) => alias),
      isUp,
    ),
  )
  const routers = [...catalogue.routers.values()]
    .filter((router) => router.models.length > 0)
    .map(({ id, by, freeOnly, models: its }) => ({ id, by, freeOnly, models: its.map((model) => model.id) }))
  const state = models.length === 0 ? 'no_provider' : ready ? 'ready' : 'unready'
  const speaksAnthropic = [...catalogue.models.values()].some((model) => isSpokenTo(model, 'anthropic'))
  return { version, origin, state, models, speaksAnthropic, routers }
}

function modelFacts(model: Model, aliases: readonly string[], isUp: (backend: Backend) => boolean): FrontPageModel {
  const offers = model.offers.filter((offer) => offer.enabled && offer.backend.enabled)
  const prices = offers.flatMap(({ price }) => (price === null ? [] : [price]))
  const free = prices.length > 0 && prices.every(isFree)
  return {
    id: model.id,
    aliases,
    inputPrice: free ? 'free' : priceText(prices.map((price) => price.input)),
    outputPrice: free ? 'free' : priceText(prices.map((price) => price.output)),
    contextTokensMax: model.contextTokensMax,
    chats: isSpokenTo(model, 'openai') || !isSpokenTo(model, 'anthropic'),
    backendsUp: offers.filter(({ backend }) => isUp(backend)).length,
    backends: offers.length,
  }
}

/** The one price, or the lowest of several; a price per million in nano-dollars is an amount of money. */
function priceText(pricesNanoPerMillion: readonly number[]): string | null {
  if (pricesNanoPerMillion.length === 0) return null
  const lowest = Math.min(...pricesNanoPerMillion)
  const text = `$${formatUsd(money(lowest))}`
  return pricesNanoPerMillion.every((price) => price === lowest) ? text : `from ${text}`
}
