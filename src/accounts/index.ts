export { type Accounts, type AccountsOptions, createAccounts, type KeyWish } from './accounts.ts'
export type { ManagementKeys, ManagementKeyWish } from './management-keys.ts'
