import type { OwnSecret } from '../domain/index.ts'
import type { SealedCredential } from '../store/index.ts'
import { type Vault, VaultError } from '../vault/index.ts'

/**
 * Opens the credentials of an account that are enabled, in their order. One that another master key sealed is left out: the start warns of
 * it, and lists say which.
 */
export function ownSecrets(vault: Pick<Vault, 'open'>, kept: readonly SealedCredential[]): readonly OwnSecret[] {
  const secrets: OwnSecret[] = []
  for (const { id, accountId, provider, baseUrl, sealed, enabled, fault } of kept) {
    const secret = enabled ? opened(vault, sealed, { rowId: id, accountId }) : null
    if (secret !== null) secrets.push({ id, accountId, provider, baseUrl, sealed, fault, secret })
  }
  return secrets.length === 0 ? NONE : secrets
}

const NONE: readonly OwnSecret[] = []

/** Null when it cannot be opened with the master key that is there. */
export function opened(vault: Pick<Vault, 'open'>, ...[sealed, owner]: Parameters<Vault['open']>): string | null {
  try {
    return vault.open(sealed, owner)
  } catch (error) {
    if (error instanceof VaultError) return null
    throw error
  }
}
