import { findModel } from '../../catalogue/index.ts'
import type { AccountContext } from '../../domain/index.ts'
import type { Arrival, House } from '../../pipeline/index.ts'
import { findListed, listedView, listMarks, openrouterView } from './listed.ts'
import { listing } from './listing.ts'
import { BEHIND_ID, modelWithOffers } from './model-offers.ts'
import { modelsDoc } from './models-doc.ts'
import type { Operation } from './operation.ts'
import { modelIdIn } from './path-segment.ts'

/** `GET /models/{id}`: the id with plain slashes or `%2F` (SDKs send either), or an alias. */
export const modelsShow: Operation = {
  name: 'models.show',
  method: 'GET',
  path: '/models/*',
  doc: modelsDoc.show,
  serve: listing(shown),
}

/** `GET /model/{author}/{slug}`, as OpenRouter's SDK asks. */
export const modelShow: Operation = {
  name: 'model.show',
  method: 'GET',
  path: '/model/*',
  only: 'openrouter',
  doc: modelsDoc.showOne,
  serve: listing((house, context, { request }) => ({
    data: openrouterView(findListed(house, context, modelIdIn(request, '/model/')), listMarks(house)),
  })),
}

/** Under OpenRouter's prefix also the offers of an id that has no slash, or several. */
function shown(house: House, context: AccountContext | null, arrival: Arrival): object {
  const id = modelIdIn(arrival.request, '/models/')
  const isOfOffers =
    arrival.surface === 'openrouter' && id.endsWith(BEHIND_ID) && findModel(house.catalogue(), id) === null
  return isOfOffers
    ? modelWithOffers(house, context, id)
    : listedView(findListed(house, context, id), listMarks(house), arrival)
}
