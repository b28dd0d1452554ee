import { Type } from '@sinclair/typebox'
import { jsonAnswer, type OperationDoc } from '../document/operation-doc.ts'

/** Of each a whole number. */
const countsOf = (example: Readonly<Record<string, number>>) =>
  Type.Object(Object.fromEntries(Object.keys(example).map((name) => [name, Type.Integer()])))

const LEDGER = { accounts_open: 1, open_holds: 0, leaks: 0 }
const WRITER = { queued: 0, batches: 4, items: 5, failed_commits: 0 }
const AGENT = {
  slots: 64,
  slots_taken: 0,
  waiters: 0,
  connections_dialling: 0,
  connections_open: 1,
  connections_idle: 1,
  connections_opened: 1,
  requests_sent: 2,
  requests_on_kept: 1,
  resends: 0,
}

const slots = Type.Object(
  {
    in_flight: Type.Integer({ description: 'Requests in progress.' }),
    waiters: Type.Integer({ description: 'Of them, those in line for a slot.' }),
    ledger: countsOf(LEDGER),
    writer: countsOf(WRITER),
    data: Type.Array(Type.Object({ backend: Type.String(), ...countsOf(AGENT).properties }), {
      description: 'Backends that were used since the start.',
    }),
  },
  { title: 'Slots' },
)

/** `/slots` for the document. */
export const slotsDoc = {
  list: {
    tag: 'Traffic',
    access: 'management',
    summary: 'Show what is in progress now',
    answer: jsonAnswer(200, 'In all, and at each backend.', slots, {
      in_flight: 0,
      waiters: 0,
      ledger: LEDGER,
      writer: WRITER,
      data: [{ backend: 'north', ...AGENT }],
    }),
  },
} satisfies Record<string, OperationDoc>
