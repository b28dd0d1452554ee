import type { QuarantineRow } from '../domain/index.ts'
import type { Clock } from '../lib/index.ts'
import { changeNote, type Writer } from '../store/index.ts'
import type { Health } from './contract.ts'
import type { Coolings } from './coolings.ts'
import type { Rows } from './rows.ts'
import type { Watches } from './watches.ts'

export interface OrdersParts {
  readonly writer: Pick<Writer, 'setOperatorCause' | 'clearQuarantine'>
  readonly clock: Clock
  readonly rows: Rows
  readonly coolings: Coolings
  readonly watches: Watches
}

/** What operators order: each with its row of the audit, and in memory once it is on disk. */
export function operatorOrders({ writer, clock, rows, coolings, watches }: OrdersParts): Pick<Health, 'set' | 'clear'> {
  return {
    async set({ backend, reason, forMs }, by) {
      const sinceMs = clock.wallMs()
      const untilMs = forMs === null ? null : sinceMs + forMs
      const details = { reason, until_ms: untilMs }
      const note = changeNote(by, { atMs: sinceMs, action: 'quarantine.set', subject: backend, details })
      const operator = { by: by.actor, reason, sinceMs, untilMs }
      const row = await writer.setOperatorCause({ backend, operator }, note)
      rows.keep(row, false)
      return row
    },
    async clear(backend, by) {
      const details = { causes: namesOf(rows.of(backend)) }
      const note = changeNote(by, { atMs: clock.wallMs(), action: 'quarantine.clear', subject: backend, details })
      const row = await writer.clearQuarantine(backend, note)
      rows.keep(row, true)
      coolings.clear(backend)
      watches.of(backend).beginAnew()
      return row
    },
  }
}

const namesOf = ({ failures, throttle, credentials, operator }: QuarantineRow): string[] => [
  ...(operator === null ? [] : ['operator']),
  ...(failures === null ? [] : ['failures']),
  ...(throttle === null ? [] : ['throttle']),
  ...credentials.map(({ credential }) => `credential ${credential}`),
]
