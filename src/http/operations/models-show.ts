import { findModel } from '../../catalogue/index.ts'
import { type AccountContext, GatewayError } from '../../domain/index.ts'
import { boundsOf, type House, mayUseModel, runListing, unknownModel } from '../../pipeline/index.ts'
import { badHost } from '../bad-host.ts'
import { modelsDoc } from './models-doc.ts'
import { encode, modelObject } from './models-list.ts'
import type { Operation } from './operation.ts'

const BEFORE_ID = '/models/'

/** `GET /models/{id}`: the id with plain slashes or `%2F` (SDKs send either), or an alias. */
export const modelsShow: Operation = {
  name: 'models.show',
  method: 'GET',
  path: '/models/*',
  doc: modelsDoc.show,
  serve: (house, arrival) =>
    runListing(house, arrival, (context) => encode(find(house, context, idOf(arrival.request)))),
}

function idOf(request: Request): string {
  const url = URL.parse(request.url)
  if (url === null) throw badHost()
  try {
    return decodeURIComponent(url.pathname.slice(url.pathname.indexOf(BEFORE_ID) + BEFORE_ID.length))
  } catch {
    throw new GatewayError('invalid_request', 'The model id in the path is not validly encoded.', { param: 'model' })
  }
}

function find(house: House, context: AccountContext, id: string) {
  const catalogue = house.catalogue()
  const model = findModel(catalogue, id)
  if (model !== null && mayUseModel(boundsOf(house.settings(), context), model)) return modelObject(model, catalogue)
  throw unknownModel({ catalogue, context }, { model: id })
}
