import { findModel } from '../../catalogue/index.ts'
import type { AccountContext } from '../../domain/index.ts'
import { type Arrival, type House, runListing } from '../../pipeline/index.ts'
import { findListed, listedView, listMarks, openrouterView } from './listed.ts'
import { BEHIND_ID, modelWithOffers } from './model-offers.ts'
import { modelsDoc } from './models-doc.ts'
import { encode } from './models-list.ts'
import type { Operation } from './operation.ts'
import { modelIdIn } from './path-segment.ts'

/** `GET /models/{id}`: the id with plain slashes or `%2F` (SDKs send either), or an alias. */
export const modelsShow: Operation = {
  name: 'models.show',
  method: 'GET',
  path: '/models/*',
  doc: modelsDoc.show,
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: arrival.surface === 'openrouter',
      answer: (context) => encode(shown(house, arrival, context)),
    }),
}

/** `GET /model/{author}/{slug}`, as OpenRouter's SDK asks. */
export const modelShow: Operation = {
  name: 'model.show',
  method: 'GET',
  path: '/model/*',
  only: 'openrouter',
  doc: modelsDoc.showOne,
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: true,
      answer(context) {
        const found = findListed(house, context, modelIdIn(arrival.request, '/model/'))
        return encode({ data: openrouterView(found, listMarks(house)) })
      },
    }),
}

/** Under OpenRouter's prefix also the offers of an id that has no slash, or several. */
function shown(house: House, arrival: Arrival, context: AccountContext | null): object {
  const id = modelIdIn(arrival.request, '/models/')
  const isOfOffers =
    arrival.surface === 'openrouter' && id.endsWith(BEHIND_ID) && findModel(house.catalogue(), id) === null
  return isOfOffers
    ? modelWithOffers(house, context, id)
    : listedView(findListed(house, context, id), listMarks(house), arrival)
}
