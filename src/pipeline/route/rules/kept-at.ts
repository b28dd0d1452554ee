import type { Filter } from '../rule.ts'

/** For a request that names what a provider keeps: drops all but the place where that is; where it names something unknown, all but own credentials. */
export const keptAt: Filter = {
  kind: 'filter',
  name: 'kept-at',
  wish: 'kept_at',
  applies: ({ kept }) => kept !== undefined,
  skip({ offer, own }, _, { kept }) {
    if (kept === undefined) return null
    const { place, foreign } = kept
    if (foreign !== null && own === undefined)
      return { reason: `what '${foreign}' names is not known here, so only an own credential may be used` }
    if (place === null) return null
    const isThere =
      offer.backend.id === place.backend && (place.isOwn ? own?.id === place.credential : own === undefined)
    return isThere ? null : { reason: 'what the request goes on from is kept elsewhere' }
  },
}
