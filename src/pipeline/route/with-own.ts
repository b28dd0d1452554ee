import { type Backend, type Candidate, type Offer, type OwnSecret, offerId, ownPlaceId } from '../../domain/index.ts'

/** So many requests may be under way at once with one credential at an account's own place. */
const SLOTS = 32

/**
 * What the offers of a model may be tried with: each with every own credential of its provider too, in the order of their creation. One that
 * the account uses at a place of its own makes one candidate there, under the provider's id of the model.
 */
export function withOwn(offers: readonly Candidate[], own: readonly OwnSecret[]): Candidate[] {
  return [
    ...own.flatMap((credential) => atOwnPlace(offers, credential)),
    ...offers.flatMap((candidate) => [
      ...own
        .filter(({ baseUrl, provider }) => baseUrl === null && provider === candidate.offer.backend.provider.id)
        .map((credential) => ({ ...candidate, own: credential })),
      candidate,
    ]),
  ]
}

function atOwnPlace(offers: readonly Candidate[], own: OwnSecret): Candidate[] {
  const { provider, baseUrl } = own
  const its = offers.filter(({ offer }) => offer.backend.provider.id === provider)
  const known = its.find(({ offer }) => offer.enabled) ?? its[0]
  if (known === undefined || baseUrl === null) return []
  return [{ offer: offerThere(known.offer, own, baseUrl), own }]
}

/** What the operator says of the model holds there too. */
function offerThere(offer: Offer, own: OwnSecret, baseUrl: string): Offer {
  const backend = ownPlace(own, baseUrl, offer.backend)
  return { ...offer, id: offerId(backend.id, offer.model), backend }
}

/** An account's own place as a backend. What the operator says of the provider's dialects holds there too; of the place nobody says anything. */
export function ownPlace(
  own: OwnSecret,
  baseUrl: string,
  { provider, limits }: Pick<Backend, 'provider' | 'limits'>,
): Backend {
  return {
    id: ownPlaceId(own),
    provider: { ...provider, ownership: null, data: null, credentials: [] },
    baseUrl,
    dialects: provider.dialects,
    region: null,
    enabled: true,
    slots: SLOTS,
    tls: { caPem: null, client: null },
    proxy: null,
    resend: 'never',
    ping: null,
    limits,
  }
}
