import type { Catalogue, Model, Router } from '../domain/index.ts'
import { nearest } from '../lib/index.ts'

/** The model of this id or alias; null when there is none. */
export function findModel(catalogue: Catalogue, name: string): Model | null {
  const direct = catalogue.models.get(name)
  if (direct !== undefined) return direct
  const aliased = catalogue.aliases.get(name)
  return (aliased === undefined ? undefined : catalogue.models.get(aliased)) ?? null
}

/** The router model of this name, or of what OpenRouter calls it; null when there is none. */
export const findRouter = ({ routers }: Pick<Catalogue, 'routers'>, name: string): Router | null =>
  routers.get(name) ?? routers.get(THEIR_NAMES.get(name) ?? '') ?? null

const THEIR_NAMES: ReadonlyMap<string, string> = new Map([
  ['openrouter/auto', 'anyrouter/auto'],
  ['openrouter/free', 'anyrouter/free'],
])

/**
 * Names (ids, aliases, router models) that somebody who wrote `name` may have meant, nearest first, at most `count`. A name without
 * its maker ("small" for "acme/small", or another maker's) counts as near, and so does one without a variant that there is none of.
 * `mayTell`: none but these are meant.
 */
export function nearNames(
  { models, aliases, routers }: Catalogue,
  name: string,
  count: number,
  mayTell: (known: string) => boolean = () => true,
): string[] {
  const names = [...models.keys(), ...aliases.keys(), ...routers.keys()].filter(mayTell)
  const at = name.lastIndexOf(':')
  const beforeColon = at < 0 ? [] : names.filter((known) => known.toLowerCase() === name.slice(0, at).toLowerCase())
  const bare = bareName(name)
  const sameBare = bare === '' ? [] : names.filter((known) => bareName(known) === bare && known !== name)
  return [...new Set([...beforeColon, ...sameBare, ...nearest(name, names, count)])].slice(0, count)
}

const bareName = (name: string): string => name.slice(name.lastIndexOf('/') + 1).toLowerCase()
