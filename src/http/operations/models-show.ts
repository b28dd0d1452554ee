import { GatewayError } from '../../domain/index.ts'
import { runListing } from '../../pipeline/index.ts'
import { badHost } from '../bad-host.ts'
import { findListed, listedView, openrouterView } from './listed.ts'
import { modelsDoc } from './models-doc.ts'
import { encode } from './models-list.ts'
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
      answer: (context) =>
        encode(listedView(findListed(house, context, idOf(arrival.request, '/models/')), house.catalogue(), arrival)),
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
        const found = findListed(house, context, idOf(arrival.request, '/model/'))
        return encode({ data: openrouterView(found, house.catalogue()) })
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
