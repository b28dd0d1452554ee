import type { BackendId, ExchangeTiming, UnsentReason } from '../domain/index.ts'
import type { Quantiles } from './recent-times.ts'

/** The runtime of one backend: kept connections, slots. Nothing above it sees a socket. */
export interface Agent {
  readonly backend: BackendId
  /** A free slot; null when the backend is full, or when somebody already waits for one (no overtaking). */
  take(): Slot | null
  /** Puts a waiter at the end of the line. It may be offered a slot at once. */
  join(waiter: Waiter): void
  /** Takes a waiter out of the line; nothing happens when it is not in it. */
  leave(waiter: Waiter): void
  /** Gives a slot back, once; it is offered to the waiters in their order, in the same tick. */
  release(slot: Slot): void
  /**
   * Sends one request on a kept or a new connection of its own and reports to `observer`. The slot stays the caller's:
   * it must be released by the caller after the last report, or after `abort`. Nothing is reported before `send` returns.
   */
  send(slot: Slot, request: OutgoingRequest, observer: ExchangeObserver): Exchange
  /** A request may be sent here next: connections are kept open for a while, as after a request. */
  keepWarm(): void
  stats(): AgentStats
  /** Closes idle connections now and busy ones as they end; no new request may be sent. */
  close(): void
}

/** The right to have one request in progress at a backend. */
export interface Slot {
  readonly agent: Agent
}

/** A request's place in line, at several agents at once. */
export interface Waiter {
  /** Offered a slot: true takes it, false declines it. Decided in the same tick; either way the waiter leaves this agent's line. */
  offer(slot: Slot): boolean
}

export interface OutgoingRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  /** Path and query as they go on the wire, e.g. `/v1/chat/completions`. */
  readonly target: string
  /** Names in small letters; without `host`, `content-length` and `connection`, which the agent writes. Values are checked for line breaks. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | null
  /** More of the body, which comes after `body` as it is read; absent: that is all. Nothing of it is sent twice. */
  readonly rest?: BodyRest
  /** ms; the agent watches these two, everything else is the dispatcher's. `idle` is the longest silence after the head and all of `rest`, paused time left out. */
  readonly limits: { readonly connectMs: number; readonly idleMs: number }
  /** `stale`, as when it is left out: once more, on a new connection, when the kept one was closed already. */
  readonly resend?: 'stale' | 'never'
}

/** What of a body is still to come. */
export interface BodyRest {
  /** Of the whole body, with what is there already; null when nobody knows: then it goes out chunked. */
  readonly bodyBytes: number | null
  /** The next bytes, null at the end; asked for only when the connection takes more. When it rejects the exchange fails. */
  read(): Promise<Uint8Array | null>
}

export interface ReplyHead {
  readonly status: number
  /** Names in small letters, in the order they came. */
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/**
 * Reports of one exchange: at most one `head`, then `body` any number of times, then exactly one of `end` and `failure`.
 * After `abort` nothing is reported any more. Bytes belong to the receiver.
 */
export interface ExchangeObserver {
  head(head: ReplyHead): void
  body(bytes: Uint8Array): void
  end(): void
  failure(failure: ExchangeFailure): void
}

/**
 * `unsent`: not one byte of the request was written. `sent` tells whether all of it was, on a connection before a resend too:
 * then the backend may have executed it.
 */
export type ExchangeFailure =
  | { readonly kind: 'unsent'; readonly reason: UnsentReason; readonly message: string }
  | {
      readonly kind: 'failed'
      readonly reason: 'reset' | 'framing' | 'idle_timeout'
      readonly message: string
      readonly sent: boolean
    }

export interface Exchange {
  /** Stops reading from the provider until `resume`; the idle limit stands still. What was read already is still reported. */
  pause(): void
  resume(): void
  /** Destroys the connection at once; nothing happens when the exchange has ended. */
  abort(): void
  /** All bytes of the request were handed to the kernel. */
  readonly sentCompletely: boolean
  /** What is known so far. */
  timing(): ExchangeTiming
}

export interface AgentStats {
  readonly slots: number
  readonly slotsTaken: number
  readonly waiters: number
  readonly connectionsDialling: number
  readonly connectionsOpen: number
  readonly connectionsIdle: number
  readonly connectionsOpened: number
  readonly requestsSent: number
  readonly requestsOnKept: number
  readonly resends: number
  readonly path: PathStats
}

/** How the way to the backend is doing. */
export interface PathStats {
  /** Connections are kept open and pinged now: a request was sent here, or planned, a short time ago. */
  readonly isKeptWarm: boolean
  readonly pings: number
  readonly pingsFailed: number
  readonly pingState: PingState
  readonly lastPing: LastPing | null
  /** How long the backend leaves idle connections open, learned from its closes; null when nothing is known. */
  readonly learnedIdleMs: number | null
  /** Name, connect and TLS together, of the last connections opened. */
  readonly connect: Quantiles | null
  /** From the request's last byte to the answer's first, of the last requests. */
  readonly firstByte: Quantiles | null
}

/** `costly`: the backend closes the connections it is pinged on, so it is not pinged for ten minutes. */
export type PingState = 'on' | 'off' | 'costly'

export interface LastPing {
  readonly atMs: number
  /** `answered`: with any status. `silent`: not within a second; the connection counts as dead. */
  readonly result: 'answered' | 'closed' | 'silent'
  readonly status: number | null
  readonly tookUs: number
}
