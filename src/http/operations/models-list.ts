import type { AccountContext, Catalogue, Model } from '../../domain/index.ts'
import { boundsOf, type House, mayUseModel, runListing } from '../../pipeline/index.ts'
import { modelsDoc } from './models-doc.ts'
import type { Operation } from './operation.ts'

/** `GET /models`: what this key may use, in the catalogue's order. Query parameters are ignored, as OpenAI does. */
export const modelsList: Operation = {
  name: 'models.list',
  method: 'GET',
  path: '/models',
  doc: modelsDoc.list,
  serve: (house, arrival) =>
    runListing(house, arrival, (context) => encode({ object: 'list', data: listed(house, context) })),
}

function listed(house: House, context: AccountContext): ModelObject[] {
  const catalogue = house.catalogue()
  const bounds = boundsOf(house.settings(), context)
  return [...catalogue.models.values()]
    .filter((model) => mayUseModel(bounds, model))
    .map((model) => modelObject(model, catalogue))
}

export interface ModelObject {
  readonly id: string
  readonly object: 'model'
  readonly created: number
  readonly owned_by: string
}

/** A model as OpenAI's list shows it; `owned_by` is the provider of its first offer. */
export function modelObject(model: Model, catalogue: Catalogue): ModelObject {
  return {
    id: model.id,
    object: 'model',
    created: catalogue.createdAtS,
    owned_by: model.offers[0]?.backend.provider.id ?? 'anyrouter',
  }
}

/** JSON as bytes. */
export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
