import type { AccountContext } from '../../domain/index.ts'
import { type Arrival, type House, runListing } from '../../pipeline/index.ts'
import { urlOf } from '../bad-host.ts'
import { ANTHROPIC_VERSION, listedFor, listedView, listMarks, openrouterView } from './listed.ts'
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
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: arrival.surface === 'openrouter',
      answer: (context) => encode(listOf(house, arrival, context)),
    }),
}

/** `GET /models/user`: the same list, for who has a key. */
export const modelsUser: Operation = {
  name: 'models.user',
  method: 'GET',
  path: '/models/user',
  only: 'openrouter',
  doc: modelsDoc.user,
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: false,
      answer: (context) => encode(listOf(house, arrival, context)),
    }),
}

/** `GET /models/count`. */
export const modelsCount: Operation = {
  name: 'models.count',
  method: 'GET',
  path: '/models/count',
  only: 'openrouter',
  doc: modelsDoc.count,
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: true,
      answer: (context) => encode({ data: { count: listedFor(house, context).length } }),
    }),
}

function listOf(house: House, arrival: Arrival, context: AccountContext | null): object {
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

/** JSON as bytes. */
export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
