import type { AccountContext, Model } from '../../domain/index.ts'
import { type Arrival, boundsOf, type House, mayUseModel, runListing } from '../../pipeline/index.ts'
import { modelsDoc } from './models-doc.ts'
import { anthropicModel, openaiModel, openrouterModel } from './openrouter-model.ts'
import type { Operation } from './operation.ts'

/**
 * `GET /models`: what this key may use, in the catalogue's order; under `/api/v1` also for who shows none, all of them. Query parameters are ignored, as
 * OpenAI does. A caller who names Anthropic's version gets Anthropic's list.
 */
export const modelsList: Operation = {
  name: 'models.list',
  method: 'GET',
  path: '/models',
  doc: modelsDoc.list,
  serve: (house, arrival) =>
    runListing(house, arrival, {
      isPublic: arrival.surface === 'openrouter',
      answer: (context) => encode(listOf(house, arrival, modelsFor(house, context))),
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
      answer: (context) => encode(listOf(house, arrival, modelsFor(house, context))),
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
      answer: (context) => encode({ data: { count: modelsFor(house, context).length } }),
    }),
}

/** What account and key may use; all for null. */
function modelsFor(house: House, context: AccountContext | null): Model[] {
  const models = [...house.catalogue().models.values()]
  if (context === null) return models
  const bounds = boundsOf(house.settings(), context)
  return models.filter((model) => mayUseModel(bounds, model))
}

function listOf(house: House, { surface, request }: Arrival, models: readonly Model[]): object {
  const catalogue = house.catalogue()
  if (surface === 'openrouter') {
    const data = models.map((model) => openrouterModel(model, catalogue))
    return { data, links: { next: null }, total_count: data.length }
  }
  if (!request.headers.has(ANTHROPIC_VERSION))
    return { object: 'list', data: models.map((model) => openaiModel(model, catalogue)) }
  const data = models.map((model) => anthropicModel(model, catalogue))
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

/** The header by which callers of Anthropic's API are known. */
export const ANTHROPIC_VERSION = 'anthropic-version'

/** JSON as bytes. */
export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
