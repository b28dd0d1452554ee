import type { GatewayError } from '../../domain/index.ts'
import type { Settled } from '../../ledger/index.ts'
import { asGatewayError, openAnswer, publicErrorEvent } from '../answer.ts'
import { type Call, leaving } from '../call.ts'
import { conclude } from '../conclude.ts'
import type { DispatchEnd } from '../handover.ts'
import type { HoldGuard } from '../hold-guard.ts'
import type { House } from '../house.ts'
import { closingComment } from './closing-comment.ts'
import type { Delivery } from './delivery.ts'
import { openBody } from './open-body.ts'
import { relayPlan } from './relay-plan.ts'
import { giveUpStream, settleUnserved } from './settle-unserved.ts'

/**
 * The answer whose head goes out with a heartbeat while dispatching goes on: its status is 200, whatever comes of it, and its head has nothing that
 * depends on an attempt. The hold must be on disk.
 */
export function deliverOpen(house: House, call: Call, dispatching: Promise<DispatchEnd>, delivery: Delivery): Response {
  const failed = (error: GatewayError, settled: Settled): Uint8Array => {
    call.clock.post()
    const timing = call.clock.read()
    delivery.over(settled)
    conclude(house, call, { status: 200, error, timing, settled })
    return Buffer.concat([closingComment(call, timing), publicErrorEvent(call, error)])
  }
  const body = openBody(house, call, {
    dispatching,
    begins(end) {
      call.clock.post()
      const timing = call.clock.read()
      return relayPlan(house, call, end, delivery, { timing, lastComment: closingComment(call, timing) })
    },
    fails(end) {
      const unserved = end.kind === 'unserved' ? end : giveUpStream(call, end, leaving(call) ?? asGatewayError('left'))
      return failed(unserved.error, settleUnserved(call, unserved, delivery))
    },
    breaks: (bug) => failed(asGatewayError(bug), delivery.settle({ kind: 'voided', reason: 'no_answer' })),
  })
  return openAnswer(call, call.clock.read(), body)
}

/** What dispatching of a stream came to, or null when a heartbeat is due before: the hold is on disk then. */
export function beforeHeartbeat(
  house: House,
  call: Call,
  dispatching: Promise<DispatchEnd>,
  guard: HoldGuard,
): Promise<DispatchEnd | null> {
  const afterMs = call.settings.routing.heartbeatAfterMs
  if (afterMs === 0) return dispatching
  return new Promise((resolve, reject) => {
    const cancelTimer = house.clock.after(afterMs, () => {
      guard.onDisk().then(
        () => resolve(null),
        () => {}, // dispatching is told of it too, and ends
      )
    })
    dispatching.then(
      (end) => {
        cancelTimer()
        resolve(end)
      },
      (bug: unknown) => {
        cancelTimer()
        reject(bug)
      },
    )
  })
}
