import { usableBackends } from '../../catalogue/index.ts'
import type { AccountContext, Model, Offer } from '../../domain/index.ts'
import { boundsOf, type House, mayUseOffer } from '../../pipeline/index.ts'
import { findListed, listMarks, openrouterView } from './listed.ts'
import { listing } from './listing.ts'
import { offersDoc } from './offers-doc.ts'
import { dataPolicy, openrouterOffer } from './openrouter-offer.ts'
import type { Operation } from './operation.ts'
import { modelIdIn } from './path-segment.ts'

/** `GET /models/{author}/{slug}/endpoints`: a model with all its offers, how they are doing, and what they cost. */
export const modelOffers: Operation = {
  name: 'models.endpoints',
  method: 'GET',
  path: '/models/:author/:slug/endpoints',
  only: 'openrouter',
  doc: offersDoc.model,
  serve: listing((house, context, { request }) => modelWithOffers(house, context, modelIdIn(request, '/models/'))),
}

/** `GET /endpoints/zdr`: the offers of whom the operator says that they keep nothing. */
export const zdrOffers: Operation = {
  name: 'endpoints.zdr',
  method: 'GET',
  path: '/endpoints/zdr',
  only: 'openrouter',
  doc: offersDoc.zdr,
  serve: listing((house, context) => ({
    data: [...house.catalogue().models.values()].flatMap((model) =>
      offersFor(house, context, model)
        .filter(({ backend }) => backend.provider.data?.retentionDays === 0)
        .map((offer) => openrouterOffer(house, model, offer)),
    ),
  })),
}

/** `GET /providers`: whose backends are used, as far as their operator says something of them. */
export const providersList: Operation = {
  name: 'providers.list',
  method: 'GET',
  path: '/providers',
  only: 'openrouter',
  doc: offersDoc.providers,
  serve: listing((house) => ({ data: providersOf(house) })),
}

/** What stands behind a model's id in the path of its offers. */
export const BEHIND_ID = '/endpoints'

/** The model with its offers, as OpenRouter answers; `path` may end in `/endpoints`. A router model has none itself. Throws 404. */
export function modelWithOffers(house: House, context: AccountContext | null, path: string): object {
  const id = path.endsWith(BEHIND_ID) ? path.slice(0, -BEHIND_ID.length) : path
  const found = findListed(house, context, id)
  const { name, created, description, architecture, ...shown } = openrouterView(found, listMarks(house))
  const offers = found.kind === 'model' ? offersFor(house, context, found.model) : []
  const endpoints = found.kind === 'model' ? offers.map((offer) => openrouterOffer(house, found.model, offer)) : []
  return { data: { id: shown.id, name, created, description, architecture, endpoints } }
}

/** Those that are switched on, and that account and key may use; all for null. */
function offersFor(house: House, context: AccountContext | null, { offers }: Model): readonly Offer[] {
  const used = offers.filter(({ enabled, backend }) => enabled && backend.enabled)
  if (context === null) return used
  const bounds = boundsOf(house.settings(), context)
  return used.filter((offer) => mayUseOffer(bounds, offer))
}

/** Nobody is named where backends are hidden. */
function providersOf(house: House): object[] {
  if (house.settings().replies.hideBackends) return []
  const backends = usableBackends(house.catalogue())
  const regions = Map.groupBy(backends, ({ provider }) => provider.id)
  return [...regions].map(([id, its]) => ({
    name: id,
    slug: id,
    headquarters: its[0]?.provider.ownership?.toUpperCase() ?? null,
    datacenters: [...new Set(its.flatMap(({ region }) => region ?? []))],
    data_policy: dataPolicy(its[0]?.provider.data ?? null),
    privacy_policy_url: null,
    terms_of_service_url: null,
    status_page_url: null,
  }))
}
