export { hashKey, keyPrefix, newKeySecret } from './key-secret.ts'
export { MASTER_KEY_FILE, MasterKeyError, openMasterKey } from './master-key.ts'
export { secretHint } from './secret-hint.ts'
export { createVault, type SealedFor, type Vault, VaultError } from './vault.ts'
