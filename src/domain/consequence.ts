import { hadNoRoom, lacksIt, type Outcome } from './outcome.ts'

/** What an outcome leads to: the table of outcomes. `sent`: all of the request had been written; `hasCredential`: it was shown one. */
export function consequenceOf(
  outcome: Outcome,
  { sent, hasCredential }: { readonly sent: boolean; readonly hasCredential: boolean },
): Consequence {
  const row = TABLE[rowOf(outcome, sent)]
  return row.blame === 'credential' && !hasCredential ? { ...row, blame: 'backend' } : row
}

export interface Consequence {
  readonly next: NextStep
  readonly blame: Blame
  readonly charge: Charge
}

export type NextStep =
  | 'relay' // it serves
  | 'return' // the error is the caller's
  | 'larger_context' // a candidate that takes more
  | 'next_credential' // at the same backend; when there is none, the next candidate
  | 'next_candidate'
  | 'next_unless_plain' // a plain request may have run, and would run twice; it is not repeated, unless the operator says so
  | 'error_event' // of the dialect: a part was delivered
  | 'stop' // nobody waits any more

/** Whose trouble it is: what health learns of it. `cleared`: the backend's failures are over. */
export type Blame = 'nobody' | 'cleared' | 'credential' | 'backend'

export type Charge =
  | 'usage'
  | 'reported' // where the provider reported usage, else nothing
  | 'nothing'
  | 'absorbed' // nothing; but it may have cost the operator, and is listed
  | 'delivered' // reported usage, else prompt + what was delivered
  | 'leaving' // by what the caller had when it left

/** A row for each outcome, and for those of one kind that differ in what follows. */
type Row = Outcome['kind'] | 'missing' | 'overloaded' | 'no_room' | 'timed_out' | 'cut'

const TABLE = {
  succeeded: row('relay', 'cleared', 'usage'),
  refused: row('return', 'nobody', 'reported'),
  missing: row('next_candidate', 'nobody', 'nothing'),
  too_long: row('larger_context', 'nobody', 'nothing'),
  throttled: row('next_credential', 'credential', 'nothing'),
  overloaded: row('next_candidate', 'backend', 'nothing'),
  denied: row('next_credential', 'credential', 'nothing'),
  unsent: row('next_candidate', 'backend', 'nothing'),
  no_room: row('next_candidate', 'nobody', 'nothing'),
  failed: row('next_candidate', 'backend', 'nothing'),
  timed_out: row('next_unless_plain', 'backend', 'absorbed'),
  cut: row('next_candidate', 'backend', 'absorbed'),
  broken: row('error_event', 'backend', 'delivered'),
  cancelled: row('stop', 'nobody', 'leaving'),
} as const satisfies Record<Row, Consequence>

function row(next: NextStep, blame: Blame, charge: Charge): Consequence {
  return { next, blame, charge }
}

/** `missing`: see `lacksIt`. `overloaded`: throttled as a whole (503, 529), whoever asks. `no_room`: our own bound, not the backend's doing. `timed_out` and `cut`: failures after the whole request was sent. */
function rowOf(outcome: Outcome, sent: boolean): Row {
  if (outcome.kind === 'throttled') return outcome.error.status === 429 ? 'throttled' : 'overloaded'
  if (lacksIt(outcome)) return 'missing'
  if (hadNoRoom(outcome)) return 'no_room'
  if (outcome.kind !== 'failed' || !sent) return outcome.kind
  if (outcome.reason.endsWith('_timeout')) return 'timed_out'
  return outcome.reason === 'reset' ? 'cut' : 'failed'
}
