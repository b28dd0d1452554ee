import type { Accounts, StoredThings } from '../accounts/index.ts'
import type { Agents } from '../agents/index.ts'
import type { Catalogue, LimitSettings, MoneySettings, ReplySettings, RoutingSettings } from '../domain/index.ts'
import type { Health } from '../health/index.ts'
import type { BytesPerToken, Ledger } from '../ledger/index.ts'
import type { Clock, ExpiryClock, Random } from '../lib/index.ts'
import type { Contents, Records } from '../records/index.ts'
import type { Log, RequestMetrics } from '../telemetry/index.ts'
import type { BodyRoom } from './body-room.ts'

/** What the verbs work with: made once by the composition root, the same for every request. */
export interface House {
  readonly clock: Clock
  /** By this time keys, credits and the like end. */
  readonly expiries: ExpiryClock
  readonly random: Random
  readonly log: Log
  readonly accounts: Accounts
  readonly ledger: Ledger
  /** What providers keep for accounts, and where. */
  readonly stored: StoredThings
  readonly records: Records
  readonly contents: Contents
  readonly bytesPerToken: BytesPerToken
  /** The newest snapshot; a request takes it once and keeps it. */
  catalogue(): Catalogue
  settings(): PipelineSettings
  readonly agents: Agents
  readonly health: Health
  readonly traffic: Traffic
  readonly metrics: RequestMetrics
}

export interface PipelineSettings {
  readonly routing: RoutingSettings
  readonly money: MoneySettings
  readonly limits: LimitSettings
  readonly replies: ReplySettings
  readonly bodyBytesMax: number
  readonly uploadBytesMax: number
  /** A secret that is accepted from loopback alone: the demo's fixed key. */
  readonly loopbackOnlySecret: string | null
}

/** What the register of traffic has of one request. */
export interface InProgress {
  readonly stream: boolean
  /** Its body is not here yet: what is half sent would hold up the gateway's end for a minute. */
  readonly isReceiving: boolean
  /** Tells it to stop. */
  readonly leave: { fire(reason: 'shutdown'): void }
}

/** What is in progress now: bounds it, and lets draining wait for the end of it. */
export interface Traffic {
  readonly draining: boolean
  readonly inFlight: number
  /** Streams among what is in progress. */
  readonly streams: number
  /** Requests since the start whose settlement is on disk. */
  readonly settled: number
  /** Registers work until its `end`: not the answer's head, but its settlement. */
  add(requestId: string, call: InProgress): void
  /** `isSettled`: there is a settlement, and it is on disk. */
  end(requestId: string, isSettled: boolean): void
  isAlive(requestId: string): boolean
  /** Bytes of bodies whose key is not known yet. */
  unknownBytes: number
  /** What bodies take of memory, from their first byte until the request is over. */
  readonly bodies: BodyRoom
  /** Requests waiting for a slot. */
  waiters: number
}
