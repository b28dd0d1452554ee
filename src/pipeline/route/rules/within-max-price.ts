import { type MaxPrice, type Price, priceAt, rateOf, ratesAt } from '../../../domain/index.ts'
import { likelyPromptTokens } from '../likely-cost.ts'
import type { Filter } from '../rule.ts'

/**
 * Drops offers that would be charged more than the caller's `max_price`: of an own credential that is the operator's fee alone. Without a price nobody
 * knows, but with an own credential nothing is charged then.
 */
export const withinMaxPrice: Filter = {
  kind: 'filter',
  name: 'max-price',
  wish: 'max_price',
  applies: ({ request }) => request?.preferences?.maxPrice != null,
  skip({ offer, own }, { nowMs, ownFeeBps }, { request }) {
    const most = request?.preferences?.maxPrice ?? null
    if (most === null) return null
    const share = own === undefined ? 1 : ownFeeBps / BPS
    if (share === 0 || (own !== undefined && offer.price === null)) return null
    if (offer.price === null) return { reason: 'the offer has no price, and the request a highest one' }
    const rates = ratesOf(priceAt(offer.price, nowMs), likelyPromptTokens(request))
    const over = NAMES.find((name) => isOver(rates[name] * share, most[name]))
    return over === undefined ? null : { reason: `the price is above max_price.${over}` }
  },
}

const BPS = 10_000
const NAMES = ['prompt', 'completion', 'request', 'image', 'audio'] as const

const isOver = (price: number, most: number | null): boolean => most !== null && price > most

function ratesOf(price: Price, promptTokens: number): { readonly [Name in keyof MaxPrice]: number } {
  const rates = ratesAt(price, promptTokens)
  return {
    prompt: rateOf(rates, 'input'),
    completion: Math.max(rateOf(rates, 'output'), rateOf(rates, 'reasoning')),
    request: price.perRequest ?? 0,
    image: price.perImage ?? 0,
    audio: Math.max(rateOf(rates, 'inputAudio'), rateOf(rates, 'outputAudio')),
  }
}
