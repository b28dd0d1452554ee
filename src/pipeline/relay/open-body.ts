import { assert } from '../../lib/index.ts'
import { type Call, leaving } from '../call.ts'
import type { DispatchEnd } from '../handover.ts'
import type { House } from '../house.ts'
import type { Streaming } from './delivery.ts'
import { type DirectController, directBody, endSafely } from './direct-body.ts'
import { HEARTBEAT, Heartbeat } from './heartbeat.ts'
import { Relay, type RelayPlan } from './relay.ts'

export interface OpenPlan {
  readonly dispatching: Promise<DispatchEnd>
  /** A stream came to its commit point: what its relay needs. */
  begins(end: Streaming): RelayPlan
  /** There is no answer, or none that may still be given: settles and concludes. The event that tells of it. */
  fails(end: Exclude<DispatchEnd, { kind: 'answered' }>): Uint8Array
  /** The same for a bug. */
  breaks(bug: unknown): Uint8Array
}

/**
 * The body of an answer whose head goes out before there is any: heartbeats until dispatching has come to something, then that stream, or
 * the event that tells why there is none, and no `[DONE]`.
 */
export function openBody(house: House, call: Call, plan: OpenPlan): ReadableStream<Uint8Array> {
  const body = new OpenBody(house, call, plan)
  return directBody({ run: (controller) => body.run(controller), cancel: () => body.cancel() })
}

/** One answer whose head is out: what is waited for now. */
export class OpenBody {
  readonly #house: House
  readonly #call: Call
  readonly #plan: OpenPlan
  #controller: DirectController | null = null
  #finish: () => void = () => {}
  #heartbeat: Heartbeat | null = null
  #isFull = false // the client has not taken the last one yet
  #relay: Relay | null = null
  #last: Uint8Array | null = null

  constructor(house: House, call: Call, plan: OpenPlan) {
    this.#house = house
    this.#call = call
    this.#plan = plan
    plan.dispatching.then((end) => this.#came(end)).catch((bug: unknown) => this.#end(plan.breaks(bug)))
  }

  /** Runs until the stream is over. */
  run(controller: DirectController): Promise<void> {
    this.#controller = controller
    return new Promise((resolve) => {
      this.#finish = resolve
      if (this.#relay !== null) this.#relay.run(controller).then(resolve)
      else if (this.#last !== null) this.#end(this.#last)
      else {
        const { heartbeatAfterMs } = this.#call.settings.routing
        this.#heartbeat = new Heartbeat(this.#house.clock, heartbeatAfterMs, () => this.#beat())
        this.#beat()
      }
    })
  }

  /** The client is gone: dispatching hears of it, or the relay. */
  cancel(): void {
    this.#call.leave.fire('client')
  }

  #beat(): void {
    const controller = this.#controller
    if (controller === null || this.#isFull) return
    const written = controller.write(HEARTBEAT)
    const flushed = controller.flush()
    const untaken = written instanceof Promise ? written : flushed
    if (!(untaken instanceof Promise)) return
    this.#isFull = true
    const taken = (): void => {
      this.#isFull = false
    }
    untaken.then(taken, () => this.cancel())
  }

  #came(end: DispatchEnd): void {
    this.#heartbeat?.stop()
    assert(end.kind !== 'answered', 'a plain answer to a stream')
    if (end.kind === 'unserved' || leaving(this.#call) !== null) {
      this.#end(this.#plan.fails(end))
      return
    }
    const relay = new Relay(this.#house, this.#call, this.#plan.begins(end))
    this.#relay = relay
    if (this.#controller !== null) relay.run(this.#controller).then(this.#finish)
  }

  #end(last: Uint8Array): void {
    this.#heartbeat?.stop()
    this.#last = last
    const controller = this.#controller
    if (controller === null) return
    endSafely(controller, [last])
    this.#finish()
  }
}
