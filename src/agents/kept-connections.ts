import type { AgentSettings } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import { type Connection, type ConnectionUser, NOBODY } from './connection.ts'
import { LearnedLife } from './learned-life.ts'

/** A backend closes an idle connection after its `Keep-Alive: timeout`: ours must be gone before. */
const KEEP_ALIVE_MARGIN_MS = 1000

/** The idle connections of one agent, the one used last on top. Whatever an idle connection hears ends it. */
export class KeptConnections {
  /** What is kept from now on is kept by these. */
  settings: AgentSettings
  readonly #clock: Clock
  readonly #idle: Connection[] = []
  readonly #learned = new LearnedLife()
  readonly #idleUser: ConnectionUser
  #keepAliveMs: number | null = null

  /** `onUnused` hears of a connection that the backend closed before it had served anything. */
  constructor(settings: AgentSettings, clock: Clock, onUnused: () => void = () => {}) {
    this.settings = settings
    this.#clock = clock
    const closed = (connection: Connection): void => {
      if (connection.served === 0) onUnused()
      this.lost(connection)
      this.#drop(connection)
    }
    this.#idleUser = {
      ...NOBODY,
      data: (connection) => this.#drop(connection), // nobody asked: it may belong to an older answer
      finished: closed,
      closed,
    }
  }

  get size(): number {
    return this.#idle.length
  }

  has(connection: Connection): boolean {
    return connection.user === this.#idleUser
  }

  /** The one that has rested the longest. */
  get longestIdle(): Connection | null {
    return this.#idle[0] ?? null
  }

  /** How long a connection may rest, as far as is known now. */
  get lifeMs(): number {
    return this.#lifeMs(this.#keepAliveMs, this.#clock.monotonicUs())
  }

  /** What the backend said last of the life of an idle connection; null when it said nothing. */
  get keepAliveMs(): number | null {
    return this.#keepAliveMs
  }

  /** As learned from the backend's closes; null when nothing is known. */
  get learnedMs(): number | null {
    return this.#learned.lifeMs(this.#clock.monotonicUs())
  }

  /** The connection used last whose life has not ended; null when there is none. */
  take(): Connection | null {
    const nowUs = this.#clock.monotonicUs()
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.idleUntilUs > nowUs) return connection
      connection.close()
    }
    return null
  }

  takeLongestIdle(): Connection | null {
    return this.#idle.shift() ?? null
  }

  /** Those that have rested since before that moment, the one used last first. */
  takeOlder(momentUs: number): Connection[] {
    const younger = this.#idle.findIndex(({ idleSinceUs }) => idleSinceUs >= momentUs)
    return this.#idle.splice(0, younger < 0 ? this.#idle.length : younger).reverse()
  }

  /** Keeps a connection that is sound, or closes it when its life or the room is used up. */
  keep(connection: Connection, keepAliveMs: number | null): void {
    const { ageMaxMs, idleMax } = this.settings
    const nowUs = this.#clock.monotonicUs()
    this.#keepAliveMs = keepAliveMs
    connection.idleSinceUs = nowUs
    connection.idleUntilUs = Math.min(
      nowUs + this.#lifeMs(keepAliveMs, nowUs) * 1000,
      connection.openedUs + ageMaxMs * 1000,
    )
    if (idleMax === 0 || connection.idleUntilUs <= nowUs) {
      connection.close()
      return
    }
    if (this.#idle.length >= idleMax) this.#idle.shift()?.close() // the one whose path is known to work the longest ago
    connection.user = this.#idleUser
    this.#idle.push(connection)
  }

  /** A connection that was kept, and was closed by the backend while it rested. */
  lost(connection: Connection): void {
    const nowUs = this.#clock.monotonicUs()
    this.#learned.closed((nowUs - connection.idleSinceUs) / 1000, nowUs)
  }

  /** Closes those whose life has ended. */
  sweep(): void {
    const nowUs = this.#clock.monotonicUs()
    for (const connection of this.#idle.filter(({ idleUntilUs }) => idleUntilUs <= nowUs)) this.#drop(connection)
  }

  closeAll(): void {
    for (const connection of this.#idle.splice(0)) connection.close()
  }

  #lifeMs(keepAliveMs: number | null, nowUs: number): number {
    const { idleMs } = this.settings
    const saidMs = keepAliveMs === null ? idleMs : keepAliveMs - KEEP_ALIVE_MARGIN_MS
    return Math.min(idleMs, saidMs, this.#learned.lifeMs(nowUs) ?? idleMs)
  }

  #drop(connection: Connection): void {
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    connection.close()
  }
}
