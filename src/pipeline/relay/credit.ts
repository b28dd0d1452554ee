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
const TOKEN_BYTES_MAX = 16 // more than tokens of any long text have on average
const SLACK_BYTES = 1024

/**
 * The credit of a stream. It needs no more when what is held covers the longest answer that may come: the caller's limit, the offer's maximum; unless
 * more text comes than so many tokens can have. Then the provider keeps to no limit, and the answer is paid for as far as it goes.
 * Tokens are estimated from bytes as they are for money. A step is `output_reserve_tokens` of every choice, or what is left.
 */
export const createCredit = (house: House, call: Call, of: CreditOf): Credit => new SteppedCredit(house, call, of)

class SteppedCredit implements Credit {
  untilBytes: number
  readonly #house: House
  readonly #call: Call
  readonly #of: CreditOf
  #tokensMax: number
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
    const isCovered = outputLimit !== null && outputLimit <= outputCapTokens
    this.untilBytes = this.#bytesOf(isCovered ? this.#tokensMax : Math.min(outputReserveTokens, outputCapTokens))
  }

  extend(textBytes: number): boolean {
    const { price, promptUnits, feeBps } = this.#of.candidate.covered
    const request = this.#of.prepared.facts
    this.#steps ??= furtherSteps({ request, promptUnits, price, ...(feeBps === undefined ? {} : { feeBps }) })
    const steps = this.#steps
    if (textBytes >= this.#bytesMax()) this.#tokensMax = Number.POSITIVE_INFINITY
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

  /** An answer may begin with its prompt (`echo`). */
  #bytesMax(): number {
    const { choices, promptTextBytes } = this.#of.prepared.facts
    return choices * (this.#tokensMax * TOKEN_BYTES_MAX + promptTextBytes) + SLACK_BYTES
  }

  #bytesOf(tokensHeld: number): number {
    if (tokensHeld >= this.#tokensMax) return this.#bytesMax()
    return SHARE * tokensHeld * this.#of.prepared.facts.choices * this.#bytesPerToken
  }
}
