import {
  completionTokens,
  type KeyBudgets,
  NO_USAGE,
  promptTokens,
  type Settlement,
  type Usage,
  type UsageSource,
  withAsked,
} from '../domain/index.ts'
import type { Settled } from '../ledger/index.ts'
import type { Call } from './call.ts'
import { estimatedUsage } from './estimated-usage.ts'
import type { Ending, PreparedRequest } from './handover.ts'
import type { House } from './house.ts'
import { learnCache } from './learn-cache.ts'

/**
 * Hold + ending -> settlement, once: reported usage, else an estimate from the prompt and the bytes of text delivered, marked so.
 * In memory at once, appended to the writer's batch in this tick. `budgets` are those of the request's key: they bound what it is charged.
 */
export function settle(
  house: House,
  call: Call,
  prepared: PreparedRequest,
  budgets: KeyBudgets | null,
  ending: Ending,
): Settled {
  const settlement = settlementOf(house, call, ending)
  learn(house, call, prepared, settlement)
  return house.ledger.settle(settlement, budgets)
}

/** The same for a request whose hold is not on its way to the disk yet, as one row: null when it is. Rejects when that cannot be written. */
export function settleWithHold(
  house: House,
  call: Call,
  prepared: PreparedRequest,
  ending: Ending,
): Promise<Settled> | null {
  const settlement = settlementOf(house, call, ending)
  const settled = house.ledger.settleWithHold(settlement)
  if (settled !== null) learn(house, call, prepared, settlement)
  return settled
}

function settlementOf(house: House, { requestId }: Call, ending: Ending): Settlement {
  if (ending.kind === 'voided')
    return { requestId, end: 'voided', reason: ending.reason, usage: NO_USAGE, usageSource: null, covered: null }
  const { covered, reason } = ending
  const { usage, source } = usageOf(house, ending)
  return { requestId, end: 'settled', reason, usage, usageSource: source, covered }
}

function learn(house: House, call: Call, { facts }: PreparedRequest, settlement: Settlement): void {
  const { usage, usageSource, covered } = settlement
  call.admission?.settle(promptTokens(usage) + completionTokens(usage))
  if (usageSource !== 'reported' || covered === null) return
  house.bytesPerToken.learn(covered.offer, facts, usage)
  learnCache(house, call, covered, usage)
}

function usageOf(house: House, ending: Extract<Ending, { kind: 'served' }>): { usage: Usage; source: UsageSource } {
  if (ending.usage !== null) return { usage: withAsked(ending.covered, ending.usage), source: 'reported' }
  return { usage: estimatedUsage(house, ending.covered, ending.textBytes, ending.promptUsage), source: 'estimate' }
}
