import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import type { Random } from '../lib/index.ts'

/** What a sealed secret belongs to: it opens there and nowhere else. */
export interface SealedFor {
  readonly rowId: string
  readonly accountId: string
}

/** Secrets at rest. */
export interface Vault {
  /** base64 of version byte, nonce, ciphertext and tag: never the same twice. */
  seal(secret: string, owner: SealedFor): string
  /** Throws `VaultError` when it was sealed with another master key, for another row, or changed since. */
  open(sealed: string, owner: SealedFor): string
}

/** A sealed secret cannot be opened. The message names the row, and neither key nor content. */
export class VaultError extends Error {
  override name = 'VaultError'
}

const CIPHER = 'aes-256-gcm'
/** The first byte: which key and cipher. A rotation adds a number and opens both. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM (NIST SP 800-38D) with a fresh random nonce each time: safe for 2^32 seals under one key. The row's and the account's id
 * are authenticated with it, so that a sealed text copied to another row does not open.
 */
export function createVault(key: KeyObject, random: Random): Vault {
  return {
    seal(secret, owner) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associated(owner))
      const body = [cipher.update(secret, 'utf8'), cipher.final()]
      return Buffer.concat([Uint8Array.of(VERSION), nonce, ...body, cipher.getAuthTag()]).toString('base64')
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes.length < 1 + NONCE_BYTES + TAG_BYTES) throw new VaultError(`the secret of ${owner.rowId} is damaged`)
      if (bytes[0] !== VERSION) {
        throw new VaultError(`the secret of ${owner.rowId} is of version ${bytes[0]}: a newer anyrouter sealed it`)
      }
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(associated(owner))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const body = decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        throw new VaultError(
          `the secret of ${owner.rowId} cannot be opened: it was sealed with another master key, or its row was changed. ` +
            'Put the right master.key back, or set the secret anew.',
        )
      }
    },
  }
}

/** The version is part of it; JSON keeps two ids apart whatever is in them. */
const associated = ({ rowId, accountId }: SealedFor): Buffer => Buffer.from(JSON.stringify([VERSION, rowId, accountId]))
