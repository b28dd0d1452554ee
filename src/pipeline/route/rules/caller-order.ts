import { isNamed } from '../../../domain/index.ts'
import type { Ranking } from '../rule.ts'

/** The caller's `order` of providers; all others behind. */
export const callerOrder: Ranking = {
  kind: 'ranking',
  name: 'caller-order',
  applies: ({ request }) => (request?.preferences?.order.length ?? 0) > 0,
  key({ offer }, _, { request }) {
    const order = request?.preferences?.order ?? []
    const at = order.findIndex((slug) => isNamed(offer, slug))
    return at < 0 ? order.length : at
  },
}
