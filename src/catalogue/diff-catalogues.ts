import { isDeepStrictEqual } from 'node:util'
import type { CatalogueParts, Model, RouterTerms } from '../domain/index.ts'

/** Names, in the order of their catalogue. */
export interface NameChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export interface CatalogueChanges {
  readonly backends: NameChanges
  readonly models: NameChanges
  readonly aliases: NameChanges
  /** Of what the operator says of them; none changes with the models. */
  readonly routers: NameChanges
}

/** What is different in a newer catalogue. A backend changes with its provider, credentials too; a model does not change with its backends. */
export function diffCatalogues(before: CatalogueParts, after: CatalogueParts): CatalogueChanges {
  return {
    backends: diffMaps(before.backends, after.backends),
    models: diffMaps(onNames(before.models), onNames(after.models)),
    aliases: diffMaps(before.aliases, after.aliases),
    routers: diffMaps(termsOf(before), termsOf(after)),
  }
}

function diffMaps(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): NameChanges {
  const names = [...after.keys()]
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && !isDeepStrictEqual(before.get(name), after.get(name))),
  }
}

/** Router models without the models that they stand for. */
const termsOf = ({ routers = new Map() }: CatalogueParts): ReadonlyMap<string, RouterTerms> =>
  new Map([...routers].map(([id, { candidates, by, freeOnly, needs }]) => [id, { candidates, by, freeOnly, needs }]))

/** Models with the names of their backends in place of these. */
const onNames = (models: ReadonlyMap<string, Model>): ReadonlyMap<string, unknown> =>
  new Map(
    [...models].map(([id, model]) => [
      id,
      { ...model, offers: model.offers.map((offer) => ({ ...offer, backend: offer.backend.id })) },
    ]),
  )
