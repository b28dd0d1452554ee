import type { AgentSettings, Backend, ExchangeTiming } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Agent, ExchangeFailure, OutgoingRequest } from './contract.ts'
import { createAgent } from './create-agent.ts'
import { pathRequest } from './ping-head.ts'
import { wholeAnswer } from './whole-answer.ts'

export interface MeasureOptions {
  readonly backend: Backend
  readonly settings: AgentSettings
  readonly clock: Clock
  /** Headers of each call, beside the usual ones: one call after the other, the first on a new connection. */
  readonly calls: readonly OutgoingRequest['headers'][]
}

export type MeasuredCall =
  | { readonly kind: 'answered'; readonly status: number; readonly tookUs: number; readonly timing: ExchangeTiming }
  | { readonly kind: 'unanswered'; readonly reason: ExchangeFailure['reason'] | 'timeout'; readonly message: string }

const CALL_MS_MAX = 10_000
const BODY_BYTES_MAX = 16 * 1024 * 1024

/**
 * Sends a request that costs no tokens, the one of the backend's pings, on connections of its own: no request is touched, and nothing that
 * is kept is changed. Ends with the first call that is not answered. Never rejects; at most 10 s a call.
 */
export async function measurePath({ backend, settings, clock, calls }: MeasureOptions): Promise<MeasuredCall[]> {
  const quiet = { ...settings, warm: 0, keepWarmMs: 0, idleMax: 1, connectionsMax: 2 }
  const agent = createAgent({ backend: { ...backend, slots: 1 }, settings: quiet, clock })
  const measured: MeasuredCall[] = []
  try {
    for (const headers of calls) {
      const call = await measuredCall(agent, pathRequest(backend, headers), clock)
      measured.push(call)
      if (call.kind === 'unanswered') break
    }
  } finally {
    agent.close()
  }
  return measured
}

async function measuredCall(agent: Agent, request: OutgoingRequest, clock: Clock): Promise<MeasuredCall> {
  const slot = agent.take()
  if (slot === null) return { kind: 'unanswered', reason: 'connect', message: 'the agent has no slot' }
  const bounds = { clock, totalMs: CALL_MS_MAX, bodyBytesMax: BODY_BYTES_MAX }
  const answer = await wholeAnswer((observer) => agent.send(slot, request, observer), bounds)
  agent.release(slot)
  if (answer.kind === 'answer') {
    const { head, tookUs, timing } = answer
    return { kind: 'answered', status: head.status, tookUs, timing }
  }
  const { message } = answer
  return { kind: 'unanswered', reason: answer.kind === 'given_up' ? 'timeout' : answer.reason, message }
}
