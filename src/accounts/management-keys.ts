import type { ManagementKey, Scope } from '../domain/index.ts'
import { type Clock, type ExpiryClock, type Random, timeOrderedId } from '../lib/index.ts'
import { type By, changeNote, type MainReads, SYSTEM, type Writer } from '../store/index.ts'
import { hashKey, managementPrefix, newManagementSecret } from '../vault/index.ts'

/** Who may administer from outside this machine. */
export interface ManagementKeys {
  /** The secret is in the answer and nowhere else. */
  createManagementKey(
    wish: ManagementKeyWish,
    by?: By,
  ): Promise<{ readonly key: ManagementKey; readonly secret: string }>
  /** `version` null: whatever it is. Rejects with `not_found`, and with `precondition_failed` when the version is another. */
  revokeManagementKey(id: string, version: number | null, by?: By): Promise<ManagementKey>
  /** The key of a secret, read anew each time, so that a revoked one ends at once; null for one that is unknown, revoked or expired. */
  managementKeyOf(secret: string): Promise<ManagementKey | null>
}

export interface ManagementKeyWish {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null: never. */
  readonly expiresAtMs: number | null
  /** From `newManagementSecret`; made here when it is absent. */
  readonly secret?: string
}

export interface ManagementKeysOptions {
  readonly reads: MainReads
  readonly writer: Writer
  readonly clock: Clock
  readonly expiries: ExpiryClock
  readonly random: Random
}

const SECRET_CHARS_MAX = 512

/** Makes the part of the accounts' room that keeps management keys. */
export function createManagementKeys({
  reads,
  writer,
  clock,
  expiries,
  random,
}: ManagementKeysOptions): ManagementKeys {
  return {
    async createManagementKey({ name, scopes, expiresAtMs, secret = newManagementSecret(random) }, by = SYSTEM) {
      const atMs = clock.wallMs()
      const id = `mkey_${timeOrderedId(atMs, random)}`
      const fields = { id, name, scopes, createdAtMs: atMs, expiresAtMs }
      const details = { name, scopes, expires_at_ms: expiresAtMs }
      const key = await writer.createManagementKey(
        { ...fields, hash: hashKey(secret), prefix: managementPrefix(secret) },
        changeNote(by, { atMs, action: 'management_key.create', subject: id, details }),
      )
      return { key, secret }
    },
    revokeManagementKey(id, version, by = SYSTEM) {
      const atMs = clock.wallMs()
      const note = changeNote(by, { atMs, action: 'management_key.revoke', subject: id })
      return writer.revokeManagementKey({ id, atMs, version }, note)
    },
    async managementKeyOf(secret) {
      if (secret.length > SECRET_CHARS_MAX) return null
      const key = await reads.managementKeyByHash(hashKey(secret))
      if (key === null || key.revokedAtMs !== null) return null
      return key.expiresAtMs !== null && key.expiresAtMs <= expiries.nowMs() ? null : key
    },
  }
}
