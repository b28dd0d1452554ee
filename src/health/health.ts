import type { BackendId, QuarantineRow } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import { type By, changeNote, type Writer } from '../store/index.ts'
import { type Exclusion, exclusionOf } from './exclusion-of.ts'

/** Which backends are out. */
export interface Health {
  /** All rows as they are now. Never changed, but replaced by each write: whoever takes it sees one moment. */
  quarantine(): ReadonlyMap<BackendId, QuarantineRow>
  /** Why a backend is out at this moment; null when it may be used. */
  exclusion(backend: BackendId): Exclusion | null
  /** An operator takes a backend out; what one said before is replaced. Answers the row that is on disk then. */
  set(wish: OperatorWish, by: By): Promise<QuarantineRow>
  /** An operator's cause ends; other causes stay. */
  clear(backend: BackendId, by: By): Promise<QuarantineRow>
}

export interface OperatorWish {
  readonly backend: BackendId
  readonly reason: string
  /** Null: until it is cleared. */
  readonly forMs: number | null
}

export interface HealthOptions {
  /** All there are on disk, just loaded. */
  readonly rows: readonly QuarantineRow[]
  readonly writer: Pick<Writer, 'setOperatorCause'>
  readonly clock: Clock
}

/** Makes the room over the rows that were loaded: from then on they are in memory, and a request reads nothing. */
export function createHealth({ rows: loaded, writer, clock }: HealthOptions): Health {
  const loadedAtMs = clock.wallMs()
  let rows: ReadonlyMap<BackendId, QuarantineRow> = new Map(
    loaded.map((row) => [row.backend, clamped(row, loadedAtMs)]),
  )

  /** Two writes may be told of in any order: the newer one stays. */
  function keep(row: QuarantineRow): QuarantineRow {
    if ((rows.get(row.backend)?.version ?? 0) < row.version) rows = new Map(rows).set(row.backend, row)
    return row
  }

  return {
    quarantine: () => rows,
    exclusion: (backend) => exclusionOf(rows.get(backend), clock.wallMs()),
    async set({ backend, reason, forMs }, by) {
      const sinceMs = clock.wallMs()
      const untilMs = forMs === null ? null : sinceMs + forMs
      const details = { reason, until_ms: untilMs }
      const note = changeNote(by, { atMs: sinceMs, action: 'quarantine.set', subject: backend, details })
      return keep(
        await writer.setOperatorCause({ backend, operator: { by: by.actor, reason, sinceMs, untilMs } }, note),
      )
    },
    async clear(backend, by) {
      const note = changeNote(by, { atMs: clock.wallMs(), action: 'quarantine.clear', subject: backend })
      return keep(await writer.setOperatorCause({ backend, operator: null }, note))
    },
  }
}

/** A clock that was set back while no process ran must not make a cause last longer than it was meant to. */
function clamped(row: QuarantineRow, nowMs: number): QuarantineRow {
  const { operator } = row
  if (operator === null || operator.untilMs === null) return row
  const untilMs = Math.min(operator.untilMs, nowMs + (operator.untilMs - operator.sinceMs))
  return { ...row, operator: { ...operator, untilMs } }
}
