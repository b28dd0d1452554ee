import type { Ranking } from '../rule.ts'

/** The operator's order of offers. */
export const catalogueOrder: Ranking = {
  kind: 'ranking',
  name: 'catalogue-order',
  key: (_, position) => position,
}
