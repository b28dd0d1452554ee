import type { AddressRange } from '../lib/index.ts'

/** The slices of the configuration that rooms are handed. `config/` makes them; INTERFACE.md names them in YAML. */

export interface RoutingSettings {
  readonly attemptsMax: number
  readonly dialsMax: number
  readonly clientStallMs: number
  /** How long a request waits for a slot when all its backends are full. */
  readonly queueMs: number
}

export interface MoneySettings {
  /** Reserved for a stream's answer when the request names no limit, in tokens. */
  readonly outputReserveTokens: number
  /** The most that is reserved at once for a stream, and for a plain request without a limit, in tokens. */
  readonly outputCapTokens: number
  /** What a caller pays who leaves before the first content of a request that was completely written. */
  readonly beforeContent: 'prompt' | 'free'
  /** What becomes of a stream's hold after a crash. */
  readonly crash: 'delivered' | 'hold' | 'void'
}

export interface AgentSettings {
  readonly idleMs: number
  readonly ageMaxMs: number
  readonly idleMax: number
}

export interface ServerSettings {
  readonly host: string
  readonly port: number
  readonly bodyBytesMax: number
  /** How long draining waits for what runs before it makes an end of it. */
  readonly drainMs: number
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustProxy: readonly AddressRange[]
  /** Pages of which origins may read answers: none, all, or these. */
  readonly cors: 'off' | '*' | readonly string[]
}

export interface LimitSettings {
  readonly requestsInFlightMax: number
  readonly waitersMax: number
}
