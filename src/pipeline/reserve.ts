import {
  type AccountContext,
  formatUsd,
  GatewayError,
  larger,
  type Money,
  type RoutePlan,
  type Skip,
  ZERO,
} from '../domain/index.ts'
import { firstStep, promptUnits } from '../ledger/index.ts'
import type { Call } from './call.ts'
import type { AffordableCandidate, PreparedRequest, Reservation } from './handover.ts'
import type { House } from './house.ts'

const FREE = { input: 0, output: 0 }

/**
 * Walks the plan and sets money aside for the dearest candidate that stays, in this tick. A candidate whose first step exceeds what is
 * available is skipped (`unaffordable`). Throws 402 when none stays, 503 while the ledger's writer refuses.
 */
export function reserve(
  house: House,
  call: Call,
  context: AccountContext,
  plan: RoutePlan,
  prepared: PreparedRequest,
): Reservation {
  const { account, key } = context
  const { money } = call.settings
  const { facts } = prepared
  const { available } = house.ledger.funds(account.id)
  const candidates: AffordableCandidate[] = []
  const skips: Skip[] = []
  let amount = ZERO
  let cheapestNeeded: Money | null = null
  for (const { offer } of plan.candidates) {
    const units = promptUnits(facts, house.bytesPerToken.of(offer.id))
    const step = firstStep({
      request: facts,
      promptUnits: units,
      offer,
      settings: money,
      available: account.kind === 'unmetered' ? null : available,
    })
    if (step.kind === 'unaffordable') {
      const reason = `needs $${formatUsd(step.needed)}, available $${formatUsd(available)}`
      skips.push({ offer: offer.id, backend: offer.backend.id, rule: 'unaffordable', reason })
      cheapestNeeded = cheapestNeeded === null || step.needed < cheapestNeeded ? step.needed : cheapestNeeded
      continue
    }
    amount = larger(amount, step.amount)
    const covered = {
      offer: offer.id,
      backend: offer.backend.id,
      price: offer.price ?? FREE,
      cost: offer.cost,
      promptUnits: units,
    }
    candidates.push({ offer, covered, outputLimit: step.outputLimit })
  }
  if (candidates.length === 0) throw insufficient(cheapestNeeded, available)
  const covers = candidates.map(({ covered }) => covered)
  const open = house.ledger.hold({ requestId: call.requestId, accountId: account.id, keyId: key.id, amount, covers })
  if (open === null) throw insufficient(amount, available)
  return { open, candidates, skips }
}

function insufficient(needed: Money | null, available: Money): GatewayError {
  const amount =
    needed === null ? '' : ` It may cost up to $${formatUsd(needed)}; $${formatUsd(available)} is available.`
  return new GatewayError('insufficient_credits', `Insufficient credits for this request.${amount}`)
}
