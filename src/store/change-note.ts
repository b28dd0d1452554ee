/**
 * What is written beside a change, in its own transaction: both are on disk, or neither is. `details` name what was asked for, by the names
 * of the admin API, and never hold a secret.
 */
export function changeNote(
  { actor, claim }: By,
  { atMs, action, subject, details = {} }: Omit<NewAuditRow, 'actor' | 'details'> & Partial<NewAuditRow>,
): ChangeNote {
  return { audit: { atMs, actor, action, subject, details }, claim }
}

export interface ChangeNote {
  readonly audit: NewAuditRow
  readonly claim: Claim | null
}

/** Who asks for a change, and whether the same may be asked for again without another effect. */
export interface By {
  /** `local:<uid>`, or `key:` and a management key's id. */
  readonly actor: string
  readonly claim: Claim | null
}

/** Who changes what nobody asked for. */
export const SYSTEM: By = { actor: 'system', claim: null }

export interface NewAuditRow {
  readonly atMs: number
  readonly actor: string
  /** A noun and a verb: `account.create`. */
  readonly action: string
  /** The id of what was changed. */
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditRow extends NewAuditRow {
  readonly seq: number
}

/** Null: all. */
export interface AuditFilter {
  readonly subject: string | null
  readonly action: string | null
}

/** An idempotency key in use: the change that carries it keeps its answer with it. */
export interface Claim {
  readonly actor: string
  readonly idempotencyKey: string
  /** Of method, path and body. */
  readonly requestHash: string
  /** A secret that the answer shows, sealed: it is stored in no other form. */
  readonly sealed: string | null
  readonly atMs: number
}

/** A claim on disk. */
export interface KeptAnswer {
  readonly requestHash: string
  /** What the writer answered. */
  readonly answer: unknown
  readonly sealed: string | null
}
