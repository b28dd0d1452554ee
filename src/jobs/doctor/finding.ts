/** What is looked at, in the order in which it is told. */
export type CheckName =
  | 'configuration'
  | 'socket'
  | 'folder'
  | 'disk'
  | 'descriptors'
  | 'database'
  | 'ledger'
  | 'usage'
  | 'clock'
  | 'backend'
  | 'credential'

/** What one look found. */
export interface Finding {
  readonly check: CheckName
  /** What of it: a backend, a credential (`backend/credential`), a file; null when there is only one. */
  readonly subject: string | null
  readonly state: 'ok' | 'warn' | 'fail'
  /** For people. No secret. */
  readonly message: string
  /** What to do about it; null when nothing. */
  readonly advice: string | null
}

type About = Pick<Finding, 'check' | 'subject'>

/** All is well there. */
export const ok = (about: About, message: string): Finding => ({ ...about, state: 'ok', message, advice: null })

/** It works, and may not for long. */
export const warn = (about: About, message: string, advice: string): Finding => ({
  ...about,
  state: 'warn',
  message,
  advice,
})

/** It does not work. */
export const fail = (about: About, message: string, advice: string): Finding => ({
  ...about,
  state: 'fail',
  message,
  advice,
})
