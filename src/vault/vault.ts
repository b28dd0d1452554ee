import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from '../lib/index.ts'
import type { VaultKeys } from './master-key.ts'

/** What a sealed secret belongs to: it opens there and nowhere else. */
export interface SealedFor {
  readonly rowId: string
  readonly accountId: string
}

/** Secrets at rest. */
export interface Vault {
  /** base64 of the key's number, nonce, ciphertext and tag: never the same twice. */
  seal(secret: string, owner: SealedFor): string
  /** Throws `VaultError` when it was sealed with another master key, for another row, or changed since. */
  open(sealed: string, owner: SealedFor): string
  /** Whether it was sealed with a key that is not the newest any more. */
  isOutdated(sealed: string): boolean
}

/** A sealed secret cannot be opened. The message names the row, and neither key nor content. */
export class VaultError extends Error {
  override name = 'VaultError'
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM (NIST SP 800-38D) with a fresh random nonce each time: safe for 2^32 seals under one key. The row's and the account's id
 * are authenticated with it, so that a sealed text copied to another row does not open. The first byte is the number of the key.
 */
export function createVault(keys: VaultKeys, random: Random): Vault {
  return {
    seal(secret, owner) {
      const number = keys.newest
      const key = keys.keyOf(number)
      if (key === undefined) throw new VaultError('there is no master key')
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associated(number, owner))
      const body = [cipher.update(secret, 'utf8'), cipher.final()]
      return Buffer.concat([Uint8Array.of(number), nonce, ...body, cipher.getAuthTag()]).toString('base64')
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes.length < 1 + NONCE_BYTES + TAG_BYTES) throw new VaultError(`the secret of ${owner.rowId} is damaged`)
      const [number = 0] = bytes
      const key = keys.keyOf(number)
      if (key === undefined)
        throw new VaultError(
          `the secret of ${owner.rowId} was sealed with master key ${number}, which is not there. Put the right master.key back, or set the secret anew.`,
        )
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(associated(number, owner))
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
    isOutdated: (sealed) => Buffer.from(sealed, 'base64')[0] !== keys.newest,
  }
}

/** The key's number is part of it; JSON keeps two ids apart whatever is in them. */
const associated = (number: number, { rowId, accountId }: SealedFor): Buffer =>
  Buffer.from(JSON.stringify([number, rowId, accountId]))
