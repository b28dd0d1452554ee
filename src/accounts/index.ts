export { type Accounts, createAccounts, type LoadedAccount } from './accounts.ts'
export type { Admission, LimitRefusal, Limits, Rate, Rates } from './limits.ts'
export {
  createOwnCredentials,
  type KeptCredential,
  type OwnCredentials,
  type WhichCredential,
} from './own-credentials.ts'
export { type Rotation, rotateMasterKey } from './rotate-master-key.ts'
export { createStoredThings, type StoredThings } from './stored-things.ts'
export { newWebhookSecret, resealWebhooks, webhookSecretOwner } from './webhook-secrets.ts'
