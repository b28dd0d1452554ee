import { type Money, money, smaller, subtract, ZERO } from '../domain/index.ts'
import type { PromoLot } from '../store/index.ts'

/**
 * How much of each lot ends, given one account's lots that are due, by their end, and its open holds. Requests use the lot that ends first at first, so
 * what is held lies on the first lots: a hold that was opened before a lot's end keeps as much of it, one that was opened after keeps none.
 */
export function lotEnds(
  lots: readonly PromoLot[],
  holds: readonly { readonly openedAtMs: number; readonly amount: Money }[],
): readonly { readonly lot: PromoLot; readonly amount: Money }[] {
  let kept = 0
  return lots.map((lot) => {
    const held = holds.reduce((sum, hold) => (hold.openedAtMs < lot.expiresAtMs ? sum + hold.amount : sum), 0)
    const keeps = smaller(lot.remaining, held > kept ? money(held - kept) : ZERO)
    kept += keeps
    return { lot, amount: subtract(lot.remaining, keeps) }
  })
}
