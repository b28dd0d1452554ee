import { dialectOf } from '../../../dialects/index.ts'
import type { Filter } from '../rule.ts'

/** Drops backends that speak no dialect with a form for what is asked: nothing is translated from one dialect to another. */
export const serves: Filter = {
  kind: 'filter',
  name: 'serves',
  wish: 'wrong_endpoint',
  applies: ({ operation }) => operation !== undefined,
  skip({ offer: { backend } }, _, { operation }) {
    if (operation === undefined || backend.dialects.some((name) => dialectOf(name).operations.has(operation)))
      return null
    return { reason: `a backend of the dialect ${backend.dialects.join(' and ')} does not know ${operation}` }
  },
}
