import { isNamed } from '../../../domain/index.ts'
import type { Filter } from '../rule.ts'

/** Drops providers that the caller does not want: by a pin, by `only`, by `ignore`, by an `order` that is not to be left. */
export const providers: Filter = {
  kind: 'filter',
  name: 'providers',
  wish: 'allowed_providers',
  applies({ pin, request }) {
    if (pin !== undefined) return true
    const asked = request?.preferences
    if (asked === undefined) return false
    return asked.only !== null || asked.ignore.length > 0 || (!asked.allowFallbacks && asked.order.length > 0)
  },
  skip({ offer }, _, { pin, request }) {
    const among = (slugs: readonly string[]): boolean => slugs.some((slug) => isNamed(offer, slug))
    if (pin !== undefined && !isNamed(offer, pin)) return { reason: 'the request is pinned to another provider' }
    const asked = request?.preferences
    if (asked === undefined) return null
    if (asked.only !== null && !among(asked.only)) return { reason: 'the request does not have it in provider.only' }
    if (among(asked.ignore)) return { reason: 'the request has it in provider.ignore' }
    if (!asked.allowFallbacks && asked.order.length > 0 && !among(asked.order))
      return { reason: 'the request does not have it in provider.order, and allows no fallbacks' }
    return null
  },
}
