import type { AddressRange } from '../lib/index.ts'
import type { SortBy } from './preferences.ts'

/** The slices of the configuration that rooms are handed. `config/` makes them; INTERFACE.md names them in YAML. */

export interface RoutingSettings {
  /** What offers are sorted by, where the caller asks for nothing else; null: the order in which they stand. */
  readonly sort: SortBy | null
  readonly attemptsMax: number
  readonly dialsMax: number
  readonly clientStallMs: number
  /** A stream that was silent for so long gets a comment; 0: never. */
  readonly heartbeatAfterMs: number
  /** How long a request waits for a slot in all, while all its backends are full. */
  readonly queueMs: number
  /** Where a request stays unless its account and key let it leave; empty: all is home. */
  readonly homeRegions: readonly string[]
}

/** Sessions that stay with their backend. */
export interface StickySettings {
  /** After they were used last; 0: they do not. */
  readonly lifeMs: number
}

/** How much the records keep. */
export interface RecordSettings {
  readonly keepDays: number
  /** Of the whole file: beyond that the oldest go. */
  readonly bytesMax: number
  /** Of prompts and answers, for accounts that have them kept. */
  readonly contentKeepDays: number
}

/** How answers and errors are told to callers. */
export interface ReplySettings {
  /** Names of backends leave what callers see: headers, lists of attempts, explanations. */
  readonly hideBackends: boolean
  /** A stream whose head went out with a heartbeat ends with its times as a comment. */
  readonly timingComment: boolean
  /** A failure after a request was sent whole asks clients not to repeat it: it may have run. */
  readonly noRetryAfterSend: boolean
  /** A plain request that timed out after it was sent whole is sent to the next candidate: it may run twice. */
  readonly repeatPlainTimeouts: boolean
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
  /** What is charged for a request with an account's own credential: a share of what it would have cost, in ten thousandths. */
  readonly byokFeeBps: number
}

/** When a backend is found to be out, for how long, and how it comes in again. */
export interface QuarantineSettings {
  /** So many failures in a row take it out. */
  readonly failures: number
  /** So does this share of failures among at least `windowMin` attempts within `windowMs`. */
  readonly rate: number
  readonly windowMs: number
  readonly windowMin: number
  /** The first time of waiting, and the longest. */
  readonly cooldownMs: number
  readonly cooldownMaxMs: number
  /** When all are out, the one that has failed the least may be tried. */
  readonly leastBad: boolean
  /** A backend that waits for its trial is asked what costs no tokens. */
  readonly probe: boolean
}

export interface AgentSettings {
  readonly idleMs: number
  readonly ageMaxMs: number
  readonly idleMax: number
  /** So many connections are kept open to a backend that was used or planned within `keepWarmMs`. */
  readonly warm: number
  readonly keepWarmMs: number
  /** Of an idle connection, in that time. */
  readonly pingEveryMs: number
  /** To all backends together. */
  readonly connectionsMax: number
}

export interface ServerSettings {
  readonly host: string
  readonly port: number
  readonly bodyBytesMax: number
  /** Of a form that is passed on while it comes. */
  readonly uploadBytesMax: number
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
  /** Of the bodies of all requests in progress; one account has half of it at most. */
  readonly bodiesBytesMax: number
}

/** What customers' own URLs may lead to. */
export interface NetworkSettings {
  /** Private addresses that may be reached all the same. */
  readonly allowPrivate: readonly AddressRange[]
  readonly ports: readonly number[]
  /** Authorities trusted beside the machine's own; null: none. */
  readonly caFile: { readonly path: string; readonly pem: string } | null
}

export interface MetricsSettings {
  /** A listener for them alone, which asks for no key; null: there is none. */
  readonly listen: ListenAddress | null
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}
