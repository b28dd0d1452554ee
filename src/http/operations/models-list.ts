import type { AccountContext } from '../../domain/index.ts'
import type { Arrival, House } from '../../pipeline/index.ts'
import { urlOf } from '../bad-host.ts'
import { ANTHROPIC_VERSION, listedFor, listedView, listMarks, openrouterView } from './listed.ts'
import { listing } from './listing.ts'
import { modelsDoc } from './models-doc.ts'
import { modelsPage } from './models-page.ts'
import type { Operation } from './operation.ts'

/**
 * `GET /models`: what this key may use, in the catalogue's order, then the router models; under `/api/v1` also for who shows none, all of them, or those that the query asks for; elsewhere
 * query parameters are ignored, as OpenAI does. A caller who names Anthropic's version gets Anthropic's list.
 */
export const modelsList: Operation = {
  name: 'models.list',
  method: 'GET',
  path: '/models',
  doc: modelsDoc.list,
  serve: listing(listOf),
}

/** `GET /models/user`: the same list, for who has a key. */
export const modelsUser: Operation = {
  name: 'models.user',
  method: 'GET',
  path: '/models/user',
  only: 'openrouter',
  doc: modelsDoc.user,
  serve: listing(listOf, 'key'),
}

/** `GET /models/count`. */
export const modelsCount: Operation = {
  name: 'models.count',
  method: 'GET',
  path: '/models/count',
  only: 'openrouter',
  doc: modelsDoc.count,
  serve: listing((house, context) => ({ data: { count: listedFor(house, context).length } })),
}

/** `GET /embeddings/models`: those that make vectors. */
export const modelsOfVectors: Operation = {
  name: 'models.list',
  method: 'GET',
  path: '/embeddings/models',
  only: 'openrouter',
  doc: modelsDoc.ofVectors,
  serve: listing((house, context, { request }) => {
    const marks = listMarks(house)
    const shown = listedFor(house, context).map((one) => openrouterView(one, marks))
    const fitting = shown.filter(({ architecture }) => architecture.output_modalities.includes('embeddings'))
    return modelsPage(fitting, urlOf(request))
  }),
}

function listOf(house: House, context: AccountContext | null, arrival: Arrival): object {
  const marks = listMarks(house)
  const listed = listedFor(house, context)
  if (arrival.surface === 'openrouter') {
    return modelsPage(
      listed.map((one) => openrouterView(one, marks)),
      urlOf(arrival.request),
    )
  }
  const data = listed.map((one) => listedView(one, marks, arrival))
  if (!arrival.request.headers.has(ANTHROPIC_VERSION)) return { object: 'list', data }
  const ids = listed.map((one) => (one.kind === 'model' ? one.model.id : one.router.id))
  return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }
}
