import { buildCatalogue } from '../../../../src/catalogue/index.ts'
import type { Model, Offer, Router, RouterTerms } from '../../../../src/domain/index.ts'
import type { World } from '../../../../src/pipeline/route/rule.ts'
import { backendOf, modelOf, partsOf } from '../../catalogue/support.ts'
import { worldOf } from './route-kit.ts'

const north = backendOf('north')
const PRICE = { input: 5, output: 5 }

/** A model with one offer, at the backend `north`. */
export function modelWith(id: string, fields: Partial<Offer> = {}): Model {
  const model = modelOf(id, [[north, { price: PRICE }]])
  return { ...model, offers: model.offers.map((offer) => ({ ...offer, contextTokensMax: null, ...fields })) }
}

/** A world of these models, with one router `r` over them. */
export function routerWorld(
  models: readonly Model[],
  terms: Partial<RouterTerms> = {},
): { readonly world: World; readonly router: Router } {
  const router: RouterTerms = { candidates: null, by: 'needs', freeOnly: false, needs: {}, ...terms }
  const backends = new Map(models.flatMap(({ offers }) => offers.map(({ backend }) => [backend.id, backend])))
  const parts = { ...partsOf([...backends.values()], models), routers: new Map([['r', router]]) }
  const catalogue = buildCatalogue(parts, { version: 1, createdAtS: 0 })
  const made = catalogue.routers.get('r')
  if (made === undefined) throw new Error('no router')
  return { world: { ...worldOf(), catalogue }, router: made }
}
