import type { ConnectionUse, UnsentReason } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Connection, ConnectionUser } from './connection.ts'
import type { Outgoing } from './outbox.ts'

/** What an exchange needs of its agent. */
export interface ExchangeHost {
  readonly clock: Clock
  /** The kept connection used last; null when there is none. */
  takeKept(): Connection | null
  /** Calls `exchange.writeNow` at the end of this tick. */
  writeSoon(exchange: Outgoing): void
  /** A new connection, or why there is none. `user` hears of it later. */
  dial(connectMs: number, user: ConnectionUser): Connection | DialRefusal
  /** Until `awaitsNoMore`, a connection that becomes free is handed to `exchange.takeOver`. */
  awaits(exchange: Awaiting): void
  awaitsNoMore(exchange: Awaiting): void
  /** A connection that dials, and that nobody waits for any more. */
  adopt(connection: Connection): void
  /** A sound connection after a complete answer. `keepAliveMs` is what the backend said of its life. */
  giveBack(connection: Connection, keepAliveMs: number | null): void
  /** A kept connection that the backend had closed while it rested. */
  lost(connection: Connection): void
  /** The request was written on a connection of this kind. */
  count(use: ConnectionUse): void
  /** A connection became ready. */
  opened(connection: Connection): void
  noteFirstByte(us: number): void
}

/** A request whose connection still dials. */
export interface Awaiting {
  takeOver(connection: Connection): void
}

/** No connection was opened. */
export interface DialRefusal {
  readonly reason: UnsentReason
  readonly message: string
}
