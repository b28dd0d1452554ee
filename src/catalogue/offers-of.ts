import type { BackendId, Catalogue, Offer } from '../domain/index.ts'

/** All offers of a backend, one for each model that it serves. */
export const offersOf = ({ models }: Pick<Catalogue, 'models'>, backend: BackendId): readonly Offer[] =>
  [...models.values()].flatMap(({ offers }) => offers.filter((offer) => offer.backend.id === backend))
