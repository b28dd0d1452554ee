import type { Database } from 'bun:sqlite'
import type { ErrorCode } from '../../domain/index.ts'

/** What became of one command. */
export type CommandEnd<A> = { readonly kind: 'done'; readonly answer: A } | Refused

/** A refused command changed nothing. */
export interface Refused {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message: string
  /** What the row's is now, when the change was meant for another. */
  readonly version?: number
}

/**
 * How commands are done, by kind: each inside the caller's transaction. It throws what a constraint refuses, and `GatewayError` for a row that cannot
 * be read; the caller undoes what was done by then.
 */
export type Runners<C extends { readonly kind: string }, A extends Readonly<Record<C['kind'], unknown>>> = {
  readonly [K in C['kind']]: (db: Database, command: Extract<C, { kind: K }>) => CommandEnd<A[K]>
}

/** A command that was done. */
export const done = <A>(answer: A): CommandEnd<A> => ({ kind: 'done', answer })

/** A command that was not; the message is for whoever gave it. */
export const refused = (code: ErrorCode, message: string): Refused => ({ kind: 'refused', code, message })

/** The refusal of a change of what there is no account for. */
export const noAccount = (id: string): Refused => refused('not_found', `There is no account '${id}'.`)

/** The refusal of a change that was meant for another version of its row. */
export const outdated = (version: number): Refused => ({
  ...refused('precondition_failed', `It has changed since: its version is ${version} now. Read it again.`),
  version,
})
