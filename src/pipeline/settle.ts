import { completionTokens, NO_USAGE, promptTokens, type Usage, type UsageSource, withAsked } from '../domain/index.ts'
import type { Settled } from '../ledger/index.ts'
import type { Call } from './call.ts'
import { estimatedUsage } from './estimated-usage.ts'
import type { Ending, PreparedRequest } from './handover.ts'
import type { House } from './house.ts'
import { learnCache } from './learn-cache.ts'

/**
 * Hold + ending -> settlement, once: reported usage, else an estimate from the prompt and the bytes of text delivered, marked so.
 * In memory at once, appended to the writer's batch in this tick.
 */
export function settle(house: House, call: Call, prepared: PreparedRequest, ending: Ending): Settled {
  const { requestId } = call
  if (ending.kind === 'voided') {
    call.admission?.settle(0)
    return house.ledger.settle({
      requestId,
      end: 'voided',
      reason: ending.reason,
      usage: NO_USAGE,
      usageSource: null,
      covered: null,
    })
  }
  const { covered, reason } = ending
  const { usage, source } = usageOf(house, ending)
  call.admission?.settle(promptTokens(usage) + completionTokens(usage))
  if (source === 'reported') {
    house.bytesPerToken.learn(covered.offer, prepared.facts, usage)
    learnCache(house, call, covered, usage)
  }
  return house.ledger.settle({ requestId, end: 'settled', reason, usage, usageSource: source, covered })
}

function usageOf(house: House, ending: Extract<Ending, { kind: 'served' }>): { usage: Usage; source: UsageSource } {
  if (ending.usage !== null) return { usage: withAsked(ending.covered, ending.usage), source: 'reported' }
  return { usage: estimatedUsage(house, ending.covered, ending.textBytes, ending.promptUsage), source: 'estimate' }
}
