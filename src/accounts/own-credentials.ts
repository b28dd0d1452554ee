import type { OwnCredential } from '../domain/index.ts'
import { type Clock, type Random, timeOrderedId } from '../lib/index.ts'
import { type By, changeNote, type Page, type Reader, type SealedCredential, type Writer } from '../store/index.ts'
import { secretHint, type Vault } from '../vault/index.ts'
import { opened } from './own-secrets.ts'

/** The credentials that accounts bring themselves (BYOK). A secret goes in and is never told again. */
export interface OwnCredentials {
  /** By provider and name; the cursor is a credential's id. */
  list(accountId: string, page: Page): Promise<readonly KeptCredential[]>
  /** Null when the account has none of this id. */
  find(accountId: string, id: string): Promise<KeptCredential | null>
  /** Rejects with `conflict` when the account has one of this name for the provider. */
  create(wish: OwnCredentialWish, by: By): Promise<OwnCredential>
  /** Rejects with `not_found`, `conflict`, `precondition_failed`. A new secret ends the fault of the old one. */
  update(which: WhichCredential, change: OwnCredentialPatch, by: By): Promise<OwnCredential>
  /** Answers what was there. Rejects with `not_found`, `precondition_failed`. */
  remove(which: WhichCredential, by: By): Promise<OwnCredential>
  /** How many of the first thousand cannot be opened: they were sealed with another master key, or changed. */
  countUnreadable(): Promise<number>
}

/** A credential, and whether its secret can be opened with the master key that is there. */
export interface KeptCredential extends OwnCredential {
  readonly readable: boolean
}

export interface OwnCredentialWish {
  readonly accountId: string
  /** Of the catalogue; the caller has looked. */
  readonly provider: string
  readonly name: string
  /** Of the account's own place; the caller has looked that it may be used. Null: for the provider's backends. */
  readonly baseUrl: string | null
  readonly secret: string
  readonly enabled: boolean
}

/** `version` null: whatever it is. */
export interface WhichCredential {
  readonly accountId: string
  readonly id: string
  readonly version: number | null
}

/** What is left out stays as it is. */
export interface OwnCredentialPatch {
  readonly name?: string
  readonly secret?: string
  readonly enabled?: boolean
}

export interface OwnCredentialsOptions {
  readonly reader: Pick<Reader, 'ownCredential' | 'ownCredentials'>
  readonly writer: Pick<Writer, 'createOwnCredential' | 'updateOwnCredential' | 'deleteOwnCredential'>
  readonly vault: Vault
  readonly clock: Clock
  readonly random: Random
  /** Called when a change of an account's credentials is on disk: what is kept of it in memory is outdated. */
  readonly onChange: (accountId: string) => void
}

const CHECKED_MAX = 1000

/** Makes the part of the accounts' room that keeps their own credentials. */
export function createOwnCredentials(options: OwnCredentialsOptions): OwnCredentials {
  const { reader, writer, vault, clock, random, onChange } = options
  const changed = async (writing: Promise<OwnCredential>): Promise<OwnCredential> => {
    const credential = await writing
    onChange(credential.accountId)
    return credential
  }
  const sealedAs = (secret: string, rowId: string, accountId: string) => ({
    sealed: vault.seal(secret, { rowId, accountId }),
    hint: secretHint(secret),
  })
  return {
    async list(accountId, page) {
      const rows = await reader.ownCredentials(accountId, page)
      return rows.map((row) => kept(vault, row))
    },
    async find(accountId, id) {
      const row = await reader.ownCredential(accountId, id)
      return row === null ? null : kept(vault, row)
    },
    create({ accountId, provider, name, baseUrl, secret, enabled }, by) {
      const createdAtMs = clock.wallMs()
      const id = `cred_${timeOrderedId(createdAtMs, random)}`
      const details = { account_id: accountId, provider, name, base_url: baseUrl, enabled }
      const note = changeNote(by, { atMs: createdAtMs, action: 'own_credential.create', subject: id, details })
      const plain = { id, accountId, provider, name, baseUrl, enabled, createdAtMs }
      const credential = { ...plain, ...sealedAs(secret, id, accountId) }
      return changed(writer.createOwnCredential(credential, note))
    },
    update({ accountId, id, version }, { secret, ...plain }, by) {
      const atMs = clock.wallMs()
      const details = { account_id: accountId, ...plain, ...(secret === undefined ? {} : { secret: 'changed' }) }
      const note = changeNote(by, { atMs, action: 'own_credential.update', subject: id, details })
      const change = secret === undefined ? plain : { ...plain, secret: sealedAs(secret, id, accountId) }
      return changed(writer.updateOwnCredential({ id, accountId, version, atMs, ...change }, note))
    },
    remove(which, by) {
      const { id, accountId } = which
      const action = 'own_credential.delete'
      const note = changeNote(by, {
        atMs: clock.wallMs(),
        action,
        subject: id,
        details: { account_id: accountId },
      })
      return changed(writer.deleteOwnCredential(which, note))
    },
    async countUnreadable() {
      const rows = await reader.ownCredentials(null, { limit: CHECKED_MAX, after: null })
      return rows.filter((row) => !isReadable(vault, row)).length
    },
  }
}

function kept(vault: Vault, row: SealedCredential): KeptCredential {
  const { sealed: _, ...credential } = row
  return { ...credential, readable: isReadable(vault, row) }
}

const isReadable = (vault: Vault, { sealed, id, accountId }: SealedCredential): boolean =>
  opened(vault, sealed, { rowId: id, accountId }) !== null
