export type { Ledger, LedgerStats, NewHold, OpenHold, Settled } from './contract.ts'
