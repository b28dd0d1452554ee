import { type AccountContext, add, type Money } from '../../domain/index.ts'
import { type FurtherSteps, furtherSteps, type OpenHold } from '../../ledger/index.ts'
import type { Call } from '../call.ts'
import type { AffordableCandidate, PreparedRequest } from '../handover.ts'
import type { House } from '../house.ts'

/** What is set aside for a stream, and more of it as the answer grows. */
export interface Credit {
  /** From so many bytes of text on more must be set aside. */
  readonly untilBytes: number
  /** Sets more aside. False when nothing is left: the stream must end. */
  extend(textBytes: number): boolean
}

export interface CreditOf {
  readonly candidate: AffordableCandidate
  readonly prepared: PreparedRequest
  readonly open: OpenHold
  readonly context: AccountContext
}

const SHARE = 0.8 // of what is held may be used before more is: what is on its way to us meanwhile is in the rest

/**
 * The credit of a stream. It needs no more when what is held covers the longest answer that may come: the caller's limit, the offer's maximum.
 * Tokens are estimated from bytes as they are for money. A step is `output_reserve_tokens` of every choice, or what is left.
 */
export function createCredit(house: House, call: Call, of: CreditOf): Credit {
  const { outputLimit } = of.prepared.facts
  if (outputLimit !== null && outputLimit <= call.settings.money.outputCapTokens) return ENDLESS // its first step covers that
  return new SteppedCredit(house, call, of)
}

const ENDLESS: Credit = { untilBytes: Number.POSITIVE_INFINITY, extend: () => true }

class SteppedCredit implements Credit {
  untilBytes: number
  readonly #house: House
  readonly #call: Call
  readonly #of: CreditOf
  readonly #tokensMax: number
  readonly #bytesPerToken: number
  #held: Money
  #steps: FurtherSteps | null = null

  constructor(house: House, call: Call, of: CreditOf) {
    const { offer } = of.candidate
    const { outputLimit } = of.prepared.facts
    const { outputCapTokens, outputReserveTokens } = call.settings.money
    this.#house = house
    this.#call = call
    this.#of = of
    this.#held = of.open.hold.amount
    this.#tokensMax = Math.min(
      outputLimit ?? Number.POSITIVE_INFINITY,
      offer.outputTokensMax ?? Number.POSITIVE_INFINITY,
    )
    this.#bytesPerToken = house.bytesPerToken.of(offer.id)
    // Most answers are shorter than what every first step holds: only a longer one is reckoned with its prices.
    this.untilBytes = this.#bytesOf(Math.min(outputReserveTokens, outputCapTokens))
  }

  extend(textBytes: number): boolean {
    const { price, promptUnits, feeBps } = this.#of.candidate.covered
    const request = this.#of.prepared.facts
    this.#steps ??= furtherSteps({ request, promptUnits, price, ...(feeBps === undefined ? {} : { feeBps }) })
    const steps = this.#steps
    this.untilBytes = steps === null ? Number.POSITIVE_INFINITY : this.#bytesOf(steps.tokensHeld(this.#held))
    while (steps !== null && textBytes >= this.untilBytes) {
      const more = Math.min(
        this.#call.settings.money.outputReserveTokens,
        this.#tokensMax - steps.tokensHeld(this.#held),
      )
      const { budgets } = this.#of.context.key
      const taken = this.#house.ledger.extend(this.#call.requestId, steps.amountOf(more), budgets)
      if (taken === 0) return false
      this.#held = add(this.#held, taken)
      this.untilBytes = this.#bytesOf(steps.tokensHeld(this.#held))
    }
    return true
  }

  #bytesOf(tokensHeld: number): number {
    if (tokensHeld >= this.#tokensMax) return Number.POSITIVE_INFINITY
    return SHARE * tokensHeld * this.#of.prepared.facts.choices * this.#bytesPerToken
  }
}
