import type { AgentSettings, Backend, ExchangeTiming } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Agent, Exchange, ExchangeFailure, OutgoingRequest, ReplyHead } from './contract.ts'
import { createAgent } from './create-agent.ts'
import { pathRequest } from './ping-head.ts'

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

function measuredCall(agent: Agent, request: OutgoingRequest, clock: Clock): Promise<MeasuredCall> {
  const slot = agent.take()
  if (slot === null) return Promise.resolve({ kind: 'unanswered', reason: 'connect', message: 'the agent has no slot' })
  const startedUs = clock.monotonicUs()
  return new Promise((resolve) => {
    let exchange: Exchange | null = null
    let status = 0
    let bodyBytes = 0
    const end = (call: MeasuredCall): void => {
      cancelTimer()
      agent.release(slot)
      resolve(call)
    }
    const giveUp = (message: string): void => {
      exchange?.abort()
      end({ kind: 'unanswered', reason: 'timeout', message })
    }
    const cancelTimer = clock.after(CALL_MS_MAX, () => giveUp(`no whole answer within ${CALL_MS_MAX / 1000} s`))
    exchange = agent.send(slot, request, {
      head: (head: ReplyHead) => {
        status = head.status
      },
      body: (bytes: Uint8Array) => {
        bodyBytes += bytes.byteLength
        if (bodyBytes > BODY_BYTES_MAX) giveUp(`an answer of more than ${BODY_BYTES_MAX} bytes`)
      },
      end: () => {
        if (exchange === null) return
        end({ kind: 'answered', status, tookUs: clock.monotonicUs() - startedUs, timing: exchange.timing() })
      },
      failure: ({ reason, message }: ExchangeFailure) => end({ kind: 'unanswered', reason, message }),
    })
  })
}
