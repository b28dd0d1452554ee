import type { Filter } from '../rule.ts'

/** Keeps a request that goes on from what a provider keeps to where that is, and what nobody knows whose it is to credentials of the account's own. */
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
