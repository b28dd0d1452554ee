import type { BackendId, FoundCauses, QuarantineRow } from '../domain/index.ts'
import { NO_CAUSES } from '../domain/index.ts'
import { inSteadyTime, inWallTime, type SteadyClock } from '../lib/index.ts'
import type { Writer } from '../store/index.ts'

export interface RowsOptions {
  readonly loaded: readonly QuarantineRow[]
  readonly writer: Pick<Writer, 'foundCauses'>
  readonly steady: SteadyClock
  /** The longest that a cause which was found out may last. */
  readonly cooldownMaxMs: number
}

/** The rows of all backends in memory, in steady time; each change of what was found out goes to the disk, which nobody waits for. */
export class Rows {
  readonly #writer: Pick<Writer, 'foundCauses'>
  readonly #steady: SteadyClock
  #rows: ReadonlyMap<BackendId, QuarantineRow>

  constructor({ loaded, writer, steady, cooldownMaxMs }: RowsOptions) {
    this.#writer = writer
    this.#steady = steady
    const nowMs = steady.nowMs()
    this.#rows = new Map(loaded.map((row) => [row.backend, clamped(row, nowMs, cooldownMaxMs)]))
  }

  /** Never changed, but replaced by each write: whoever takes it sees one moment. */
  get all(): ReadonlyMap<BackendId, QuarantineRow> {
    return this.#rows
  }

  of(backend: BackendId): QuarantineRow {
    return this.#rows.get(backend) ?? { backend, ...NO_CAUSES }
  }

  /** As the machine's clock would tell it. */
  inWallTime(row: QuarantineRow): QuarantineRow {
    const { operator } = row
    return {
      ...row,
      ...this.#causesInWallTime(row),
      operator: operator === null ? null : inWallTime(this.#steady, operator),
    }
  }

  /** What was found out has changed. What is left out stays as it is. */
  put(backend: BackendId, change: Partial<Omit<FoundCauses, 'backend'>>): void {
    const row = { ...this.of(backend), ...change }
    this.#replace(row)
    this.#write(row)
  }

  /**
   * An operator's order is on disk; its answer is in wall time. Two may be told of in any order: the newer one stays. `clears` ends all that
   * was found out too.
   */
  keep(told: QuarantineRow, clears: boolean): void {
    const row = this.of(told.backend)
    if (row.version >= told.version) return
    const { operator, version } = told
    const sinceThen = operator === null ? null : inSteadyTime(this.#steady, operator)
    this.#replace({ ...row, ...(clears ? NO_CAUSES : {}), operator: sinceThen, version })
    if (clears) this.#write(this.of(told.backend)) // what was found out meanwhile may have come to the disk after the order
  }

  #replace(row: QuarantineRow): void {
    this.#rows = new Map(this.#rows).set(row.backend, row)
  }

  #write(row: QuarantineRow): void {
    this.#writer.foundCauses(this.#causesInWallTime(row))
  }

  #causesInWallTime({ backend, failures, throttle, credentials }: QuarantineRow): FoundCauses {
    const steady = this.#steady
    return {
      backend,
      failures: failures === null ? null : inWallTime(steady, failures),
      throttle: throttle === null ? null : inWallTime(steady, throttle),
      credentials: credentials.map((cause) => inWallTime(steady, cause)),
    }
  }
}

/** A clock that was set back while no process ran must not make a cause last longer than it was meant to. */
function clamped(row: QuarantineRow, nowMs: number, longestMs: number): QuarantineRow {
  const within = <C extends { readonly untilMs: number }>(cause: C): C => ({
    ...cause,
    untilMs: Math.min(cause.untilMs, nowMs + longestMs),
  })
  const { operator, failures, throttle, credentials } = row
  const isBounded = operator !== null && operator.untilMs !== null
  return {
    ...row,
    failures: failures === null ? null : within(failures),
    throttle: throttle === null ? null : within(throttle),
    credentials: credentials.map((cause) => within(cause)),
    operator: isBounded
      ? { ...operator, untilMs: Math.min(operator.untilMs, nowMs + (operator.untilMs - operator.sinceMs)) }
      : operator,
  }
}
