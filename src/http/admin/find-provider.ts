import type { Catalogue } from '../../domain/index.ts'
import type { AdminDeps } from './deps.ts'
import { unknownName } from './unknown-name.ts'

/** The provider of the catalogue with this id. Throws 404, with the nearest id. */
export function findProvider({ catalogue }: Pick<AdminDeps, 'catalogue'>, id: string): string {
  const known = providerIds(catalogue())
  if (known.has(id)) return id
  throw unknownName('provider', id, known)
}

/** Ids of all providers of the catalogue. */
export const providerIds = ({ backends }: Pick<Catalogue, 'backends'>): ReadonlySet<string> =>
  new Set([...backends.values()].map(({ provider }) => provider.id))
