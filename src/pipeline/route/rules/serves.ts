import { dialectOf } from '../../../dialects/index.ts'
import type { Filter } from '../rule.ts'

/**
 * Drops backends that speak no dialect with a form for what is asked (nothing is translated from one dialect to another), and offers whose operator
 * says that it cannot be asked there.
 */
export const serves: Filter = {
  kind: 'filter',
  name: 'serves',
  isOfOffer: true,
  wish: 'wrong_endpoint',
  applies: ({ operation }) => operation !== undefined,
  skip({ offer: { backend, operations } }, _, { operation }) {
    if (operation === undefined) return null
    if (operations !== undefined && !operations.includes(operation))
      return { reason: `it is asked for ${operations.join(', ')}, not for ${operation}` }
    if (backend.dialects.some((name) => dialectOf(name).operations.has(operation))) return null
    return { reason: `a backend of the dialect ${backend.dialects.join(' and ')} does not know ${operation}` }
  },
}
