export { type Accounts, type AccountsOptions, createAccounts, type KeyWish } from './accounts.ts'
