import { type CatalogueParts, isFree, type Model, type Router, type RouterTerms } from '../domain/index.ts'

/**
 * The router models of a catalogue, each with the models it may take: those that the operator defines, and `anyrouter/auto` (all models) and
 * `anyrouter/free` where no model, alias or router of the operator has that name. Without a model there is none of these two.
 */
export function routersOf({ models, aliases, routers = new Map() }: CatalogueParts): ReadonlyMap<string, Router> {
  const own = [...DEFAULTS].filter(([id]) => models.size > 0 && !models.has(id) && !aliases.has(id))
  return new Map(
    [...new Map([...own, ...routers])].map(([id, terms]) => [id, { id, ...terms, models: modelsOf(models, terms) }]),
  )
}

const DEFAULTS: readonly (readonly [id: string, terms: RouterTerms])[] = [
  ['anyrouter/auto', { candidates: null, by: 'needs', freeOnly: false, needs: {} }],
  ['anyrouter/free', { candidates: null, by: 'needs', freeOnly: true, needs: {} }],
]

/** Its candidates, then those that stand in a list for a need alone; of a free one those that have a free offer. */
function modelsOf(models: CatalogueParts['models'], { candidates, needs, freeOnly }: RouterTerms): readonly Model[] {
  const listed = [...(candidates ?? models.keys()), ...Object.values(needs).flat()]
  const found = [...new Set(listed)].flatMap((id) => models.get(id) ?? [])
  return freeOnly ? found.filter(hasFreeOffer) : found
}

const hasFreeOffer = ({ offers }: Model): boolean =>
  offers.some(({ enabled, backend, price }) => enabled && backend.enabled && price !== null && isFree(price))
