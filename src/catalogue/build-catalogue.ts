import type { Catalogue, CatalogueParts } from '../domain/index.ts'
import { assert, deepFreeze } from '../lib/index.ts'
import { routersOf } from './routers-of.ts'

/** Which snapshot it is. */
export interface SnapshotStamp {
  readonly version: number
  /** Unix seconds. */
  readonly createdAtS: number
}

/**
 * Makes an immutable snapshot: the maps are copied, everything in them is frozen. `parts` must be sound (the configuration checks
 * it for people); a reference that points nowhere is a `Bug`.
 */
export function buildCatalogue(parts: CatalogueParts, { version, createdAtS }: SnapshotStamp): Catalogue {
  for (const model of parts.models.values()) {
    for (const offer of model.offers) {
      assert(
        parts.backends.get(offer.backend.id) === offer.backend,
        () => `offer ${offer.id} names a backend outside the catalogue`,
      )
      assert(offer.model === model.id, () => `offer ${offer.id} stands at model ${model.id}`)
    }
  }
  for (const [alias, model] of parts.aliases) {
    assert(
      parts.models.has(model) && !parts.models.has(alias),
      () => `alias ${alias} points nowhere or shadows a model`,
    )
  }
  const routers = routersOf(parts)
  return deepFreeze({
    version,
    createdAtS,
    backends: new Map(parts.backends),
    models: new Map(parts.models),
    aliases: new Map(parts.aliases),
    routers,
  })
}
