import { createSecretKey } from 'node:crypto'
import type { Random } from '../../src/lib/index.ts'
import { createVault, type Vault, type VaultKeys } from '../../src/vault/index.ts'

/** The keys of a vault that has one, never rotated. */
export function oneKey(bytes: Uint8Array): VaultKeys {
  const key = createSecretKey(bytes)
  return { newest: 1, keyOf: (number) => (number === 1 ? key : undefined) }
}

/** A vault with the one master key of all tests: what one seals another opens. */
export const testVault = (random: Random): Vault => createVault(oneKey(new Uint8Array(32).fill(7)), random)
