import type { Candidate } from '../../../domain/index.ts'
import type { Filter, World } from '../rule.ts'

/** Drops the operator's credentials for accounts that want their own ones used, wherever they have one for the model. */
export const ownOnly: Filter = {
  kind: 'filter',
  name: 'own-only',
  applies: (_, { context: { account, own } }) => own.length > 0 && account.byokFallback === 'never',
  skip: (candidate, world) =>
    candidate.own === undefined && hasOwn(candidate, world)
      ? { reason: "the account does not fall back from its own credentials to the operator's" }
      : null,
}

const hasOwn = ({ offer }: Candidate, { catalogue, context: { own } }: World): boolean =>
  catalogue.models
    .get(offer.model)
    ?.offers.some(({ backend }) => own.some(({ provider }) => provider === backend.provider.id)) ?? false
