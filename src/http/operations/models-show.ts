import { findModel } from '../../catalogue/index.ts'
import { type AccountContext, GatewayError, type Model } from '../../domain/index.ts'
import { type Arrival, boundsOf, type House, mayUseModel, runListing, unknownModel } from '../../pipeline/index.ts'
import { badHost } from '../bad-host.ts'
import { modelsDoc } from './models-doc.ts'
import { ANTHROPIC_VERSION, encode } from './models-list.ts'
import { anthropicModel, openaiModel, openrouterModel } from './openrouter-model.ts'
import type { Operation } from './operation.ts'

/** `GET /models/{id}`: the id with plain slashes or `%2F` (SDKs send either), or an alias. */
export const modelsShow: Operation = {
  name: 'models.show',
  method: 'GET',
  path: '/models/*',
  doc: modelsDoc.show,
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: arrival.surface === 'openrouter',
      answer: (context) => encode(shapeOf(house, arrival, find(house, context, idOf(arrival.request, '/models/')))),
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
        const model = find(house, context, idOf(arrival.request, '/model/'))
        return encode({ data: openrouterModel(model, house.catalogue()) })
      },
    }),
}

function idOf(request: Request, before: string): string {
  const url = URL.parse(request.url)
  if (url === null) throw badHost()
  try {
    return decodeURIComponent(url.pathname.slice(url.pathname.indexOf(before) + before.length))
  } catch {
    throw new GatewayError('invalid_request', 'The model id in the path is not validly encoded.', { param: 'model' })
  }
}

function find(house: House, context: AccountContext | null, id: string): Model {
  const catalogue = house.catalogue()
  const model = findModel(catalogue, id)
  const mayUse = (known: Model): boolean => context === null || mayUseModel(boundsOf(house.settings(), context), known)
  if (model !== null && mayUse(model)) return model
  throw unknownModel({ catalogue, context }, { model: id })
}

function shapeOf(house: House, { surface, request }: Arrival, model: Model): object {
  const catalogue = house.catalogue()
  if (surface === 'openrouter') return openrouterModel(model, catalogue)
  return request.headers.has(ANTHROPIC_VERSION) ? anthropicModel(model, catalogue) : openaiModel(model, catalogue)
}
