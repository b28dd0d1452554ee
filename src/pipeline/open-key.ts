import type { Key } from '../domain/index.ts'
import type { House } from './house.ts'

/** Reads what a key has used, as far as its budgets and limits ask for it; at once, none of the reads waits for another. */
export async function openKey(house: Pick<House, 'accounts' | 'ledger'>, { id, budgets, limits }: Key): Promise<void> {
  const { ledger, accounts } = house
  await Promise.all([
    budgets === null || ledger.isKeyOpen(id) ? null : ledger.openKey(id),
    limits === null || accounts.limits.isOpen(id) ? null : accounts.limits.open(id),
  ])
}

/** Whether all that a key with budgets or limits has used is in memory. One without any needs nothing. */
export const isKeyWarm = ({ ledger, accounts }: House, { id, budgets, limits }: Key): boolean =>
  (budgets === null || ledger.isKeyOpen(id)) && (limits === null || accounts.limits.isOpen(id))
