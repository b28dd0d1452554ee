import { isFree } from '../../../domain/index.ts'
import type { Filter } from '../rule.ts'

/**
 * Drops offers without a price, but for unmetered accounts and own credentials: nobody else could be billed. The same goes for an offer whose price
 * has nothing that an answer of this kind could be billed by, and for all offers where the request asks to be served for more than their price.
 */
export const priced: Filter = {
  kind: 'filter',
  name: 'priced',
  skip({ offer: { price }, own }, { context }, { request }) {
    if (own !== undefined || context.account.kind === 'unmetered') return null
    if (price === null) return { reason: 'the offer has no price, so it serves unmetered accounts only' }
    if (request?.dearer !== undefined)
      return { reason: `'${request.dearer}' asks to be served for more than the offer's price` }
    const needed = request?.pricedBy
    if (needed === undefined || needed.some((name) => price[name] !== undefined) || isFree(price)) return null
    return {
      reason: `the answer tells no usage, and the offer has no price ${needed.map((name) => WORDS[name]).join(' or ')}`,
    }
  },
}

const WORDS = {
  perRequest: 'per request',
  perMillionCharacters: 'per million characters',
  perAudioHour: 'per hour of audio',
} as const
