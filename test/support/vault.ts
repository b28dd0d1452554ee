import { createSecretKey } from 'node:crypto'
import type { Random } from '../../src/lib/index.ts'
import { createVault, type Vault } from '../../src/vault/index.ts'

/** A vault with the one master key of all tests: what one seals another opens. */
export const testVault = (random: Random): Vault => createVault(createSecretKey(new Uint8Array(32).fill(7)), random)
