import type { Ranking } from '../rule.ts'

/** What an account pays its provider for itself comes before what it would be charged for. */
export const ownFirst: Ranking = {
  kind: 'ranking',
  name: 'own-first',
  applies: (_, { context }) => context.own.length > 0,
  key: ({ own }) => (own === undefined ? 1 : 0),
}
