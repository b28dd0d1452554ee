import type { EndReason, GatewayError } from '../../domain/index.ts'
import type { Settled } from '../../ledger/index.ts'
import { absorption, paysPrompt } from '../absorption.ts'
import type { Call } from '../call.ts'
import type { Delivery, Streaming, Unserved } from './delivery.ts'
import { correctLastAttempt } from './relay-plan.ts'

/**
 * No attempt served: nothing is owed, but for the prompt of a request that was sent whole before its caller left, and for what a provider
 * reports with its refusal.
 */
export function settleUnserved(
  call: Call,
  { mayHaveRun, reported }: Unserved,
  { settle }: Pick<Delivery, 'settle'>,
): Settled {
  if (mayHaveRun !== null && paysPrompt(call))
    return settle({ kind: 'served', reason: 'client_gone', covered: mayHaveRun.covered, usage: null, textBytes: 0 })
  if (reported !== null) {
    const { candidate, usage } = reported
    return settle({ kind: 'served', reason: 'provider_reported', covered: candidate.covered, usage, textBytes: 0 })
  }
  return settle({ kind: 'voided', reason: voidReason(call, mayHaveRun !== null) })
}

/** Gives up a stream of which nothing was delivered: to its caller it is as if there had been no content. */
export function giveUpStream(call: Call, { live, slot, candidate, facts }: Streaming, error: GatewayError): Unserved {
  live.exchange.abort()
  slot.agent.release(slot)
  const absorbed = paysPrompt(call) ? {} : absorption(call, { candidate, facts }, true)
  correctLastAttempt(call, { outcome: 'cancelled', reason: call.leave.reason, ...absorbed })
  return { kind: 'unserved', error, mayHaveRun: candidate, reported: null }
}

function voidReason({ leave: { reason } }: Call, isSent: boolean): EndReason {
  if (reason === 'client') return isSent ? 'client_gone' : 'cancelled_unsent'
  return reason === 'storage' || reason === 'shutdown' ? reason : 'no_answer'
}
