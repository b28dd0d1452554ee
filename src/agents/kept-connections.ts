import type { AgentSettings } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import type { Connection, ConnectionUser } from './connection.ts'

/** A backend closes an idle connection after its `Keep-Alive: timeout`: ours must be gone before. */
const KEEP_ALIVE_MARGIN_MS = 1000

/** The idle connections of one agent, the one used last on top. Whatever an idle connection hears ends it. */
export class KeptConnections {
  /** What is kept from now on is kept by these. */
  settings: AgentSettings
  readonly #clock: Clock
  readonly #idle: Connection[] = []
  readonly #idleUser: ConnectionUser

  constructor(settings: AgentSettings, clock: Clock) {
    this.settings = settings
    this.#clock = clock
    this.#idleUser = {
      opened: () => {},
      unsent: () => {},
      drained: () => {},
      data: (connection) => this.#drop(connection), // nobody asked: it may belong to an older answer
      finished: (connection) => this.#drop(connection),
      closed: (connection) => this.#drop(connection),
    }
  }

  get size(): number {
    return this.#idle.length
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

  /** Keeps a connection that is sound, or closes it when its life or the room is used up. */
  keep(connection: Connection, keepAliveMs: number | null): void {
    const { idleMs, ageMaxMs, idleMax } = this.settings
    const nowUs = this.#clock.monotonicUs()
    const lifeMs = keepAliveMs === null ? idleMs : Math.min(idleMs, keepAliveMs - KEEP_ALIVE_MARGIN_MS)
    connection.idleUntilUs = Math.min(nowUs + lifeMs * 1000, connection.openedUs + ageMaxMs * 1000)
    if (idleMax === 0 || connection.idleUntilUs <= nowUs) {
      connection.close()
      return
    }
    if (this.#idle.length >= idleMax) this.#idle.shift()?.close() // the one whose path is known to work the longest ago
    connection.user = this.#idleUser
    this.#idle.push(connection)
  }

  /** Closes those whose life has ended. */
  sweep(): void {
    const nowUs = this.#clock.monotonicUs()
    for (const connection of this.#idle.filter(({ idleUntilUs }) => idleUntilUs <= nowUs)) this.#drop(connection)
  }

  closeAll(): void {
    for (const connection of this.#idle.splice(0)) connection.close()
  }

  #drop(connection: Connection): void {
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    connection.close()
  }
}
