import type { Clock } from '../lib/index.ts'
import { type By, changeNote, type Reader, type Resealed, type Writer } from '../store/index.ts'
import type { MasterKeys, Vault } from '../vault/index.ts'
import { opened } from './own-secrets.ts'

export interface RotationOptions {
  readonly keys: MasterKeys
  readonly vault: Vault
  readonly reader: Pick<Reader, 'ownCredentials'>
  readonly writer: Pick<Writer, 'resealOwnCredentials'>
  readonly clock: Clock
  /** Seals anew what else was sealed with an older key. Called when the new one seals already. */
  readonly others: () => Promise<void>
  /** As for every change of an account's credentials. */
  readonly onChange: (accountId: string) => void
}

/** What a rotation came to. */
export interface Rotation {
  readonly resealed: number
  /** Sealed with a key that was not there before either: they stay as they are. */
  readonly unreadable: number
}

const PAGE = 500

/**
 * Replaces the master key while requests go on: a new key is on disk, secrets are sealed with it from then on, what was sealed before is sealed
 * anew, each page in one transaction, and the old key goes when nothing of it is left. A crash in between loses nothing, as both keys open until
 * then; the next rotation goes on where this one ended, with the key that it had made.
 */
export async function rotateMasterKey(options: RotationOptions, by: By): Promise<Rotation> {
  const { keys, vault, reader, writer, clock, others, onChange } = options
  keys.begin()
  const atMs = clock.wallMs()
  const note = changeNote(by, { atMs, action: 'master_key.rotate', subject: `master key ${keys.newest}` })
  let resealed = await writer.resealOwnCredentials([], note) // once this is on disk, so is all that was sealed before
  for (;;) {
    const { rows, unreadable } = await outdated(vault, reader)
    if (rows.length === 0) {
      await others()
      keys.finish()
      return { resealed, unreadable }
    }
    resealed += await writer.resealOwnCredentials(rows)
    for (const accountId of new Set(rows.map((row) => row.accountId))) onChange(accountId)
  }
}

/** Up to a page of those that an older key sealed; all of them are looked at, so that none is the last answer that is left behind. */
async function outdated(
  vault: Vault,
  reader: RotationOptions['reader'],
): Promise<{ readonly rows: readonly Resealed[]; readonly unreadable: number }> {
  const rows: Resealed[] = []
  let unreadable = 0
  let after: string | null = null
  for (;;) {
    const page = await reader.ownCredentials(null, { limit: PAGE, after })
    for (const { id, accountId, sealed } of page) {
      if (!vault.isOutdated(sealed)) continue
      const secret = opened(vault, sealed, { rowId: id, accountId })
      if (secret === null) unreadable++
      else rows.push({ id, accountId, from: sealed, to: vault.seal(secret, { rowId: id, accountId }) })
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE || rows.length >= PAGE) return { rows, unreadable }
    after = last.id
  }
}
