import { findModel, findRouter } from '../../catalogue/index.ts'
import type { Catalogue, Model, Router } from '../../domain/index.ts'
import type { Variant } from './rule.ts'

/** What a name stands for, and how it is wished. */
export interface Expansion {
  /** One, or all that a router model may take. */
  readonly models: readonly Model[]
  readonly variant: Variant | null
  readonly router: Router | null
}

/** What a name stands for: an id, an alias or a router model, or either with a variant behind it. Null for a name that is not known. */
export function expand(catalogue: Catalogue, name: string): Expansion | null {
  const plain = expansionOf(catalogue, name, null)
  if (plain !== null) return plain // first: ids may have a colon
  const at = name.lastIndexOf(':')
  const variant = at < 0 ? undefined : VARIANTS.find((one) => one === name.slice(at + 1))
  return variant === undefined ? null : expansionOf(catalogue, name.slice(0, at), variant)
}

function expansionOf(catalogue: Catalogue, name: string, variant: Variant | null): Expansion | null {
  const model = findModel(catalogue, name)
  if (model !== null) return { models: [model], variant, router: null }
  const router = findRouter(catalogue, name)
  return router === null ? null : { models: router.models, variant, router }
}

const VARIANTS: readonly Variant[] = ['free', 'nitro', 'floor']
