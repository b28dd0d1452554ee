import type { PriceTable } from '../catalogue/index.ts'
import type { Backend, Price } from '../domain/index.ts'
import { nearest } from '../lib/index.ts'
import { FROM_PRICE_DATA } from './price-schema.ts'
import { clip } from './problem.ts'

/** What an offer says of its price, or of its cost. */
export type PriceInput = Price | typeof FROM_PRICE_DATA | undefined

export type OfferPrice =
  | { readonly kind: 'price'; readonly price: Price | null; readonly contextTokensMax: number | null }
  | { readonly kind: 'problem'; readonly reason: string; readonly suggestion: string | null }

interface OfferPlace {
  readonly backend: Backend
  readonly providerModel: string
  readonly table: PriceTable
  readonly wallMs: number
}

const WRITE_IT = 'Write the price: { input: "0.15", output: "0.60" }'

/** A price as written, or from the price data; null when the offer says none. */
export function offerPrice(given: PriceInput, place: OfferPlace): OfferPrice {
  if (given !== FROM_PRICE_DATA) return { kind: 'price', price: given ?? null, contextTokensMax: null }
  const { backend, providerModel, table, wallMs } = place
  const provider = providerIn(place)
  if (provider === null) {
    return problem(
      `the price data knows neither the url of '${backend.id}' nor a provider '${clip(backend.provider.id)}'`,
      WRITE_IT,
    )
  }
  const finding = table.find(provider, providerModel, wallMs)
  switch (finding.kind) {
    case 'found':
      return { kind: 'price', price: finding.model.price, contextTokensMax: finding.model.contextTokensMax }
    case 'unusable':
      return problem(`the price data cannot price '${clip(providerModel)}': ${finding.reason}`, WRITE_IT)
    case 'unknown': {
      const names = table.served(provider, wallMs).map((model) => model.providerModel)
      const [near] = nearest(providerModel, names, 1)
      const suggestion = near === undefined ? WRITE_IT : `Did you mean as: ${near}? Else write the price.`
      return problem(`the price data has no model '${clip(providerModel)}' of ${provider}`, suggestion)
    }
  }
}

/** What the provider bills the operator: as written, else as the price data has it, else unknown. */
export function offerCost(given: PriceInput, place: OfferPlace): OfferPrice {
  if (given !== undefined) return offerPrice(given, place)
  const provider = providerIn(place)
  const finding = provider === null ? null : place.table.find(provider, place.providerModel, place.wallMs)
  const price = finding?.kind === 'found' ? finding.model.price : null
  return { kind: 'price', price, contextTokensMax: null }
}

const providerIn = ({ backend, table }: OfferPlace): string | null =>
  table.providerOf({ baseUrl: backend.baseUrl, providerId: backend.provider.id })

const problem = (reason: string, suggestion: string): OfferPrice => ({ kind: 'problem', reason, suggestion })
