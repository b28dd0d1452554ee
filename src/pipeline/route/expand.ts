import { findModel } from '../../catalogue/index.ts'
import type { Catalogue, Model } from '../../domain/index.ts'
import type { Variant } from './rule.ts'

/** One model that a name stands for, and how it is wished. */
export interface Branch {
  readonly model: Model
  readonly variant: Variant | null
}

/** The models that a name stands for, in order: an id, an alias, or either with a variant behind it. Empty for a name that is not known. */
export function expand(catalogue: Catalogue, name: string): readonly Branch[] {
  const model = findModel(catalogue, name)
  if (model !== null) return [{ model, variant: null }] // first: ids may have a colon
  const at = name.lastIndexOf(':')
  const variant = at < 0 ? undefined : VARIANTS.get(name.slice(at + 1))
  const base = variant === undefined ? null : findModel(catalogue, name.slice(0, at))
  return variant === undefined || base === null ? [] : [{ model: base, variant }]
}

const VARIANTS: ReadonlyMap<string, Variant> = new Map([
  ['free', 'free'],
  ['nitro', 'nitro'],
  ['floor', 'floor'],
])
