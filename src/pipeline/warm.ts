import type { Recognition } from './handover.ts'
import type { House } from './house.ts'

/**
 * Starts the reads a request will need as early as they are known: the account's row as soon as the key is read, while the body is
 * still coming. Bound to no request: whoever needs the row joins the read.
 */
export function warm(house: House, recognition: Recognition): void {
  if (recognition.kind === 'known') startAccount(house, recognition.principal.key.accountId)
  else recognition.principal.then(({ key }) => startAccount(house, key.accountId), ignore)
}

function startAccount(house: House, accountId: string): void {
  if (house.accounts.rows.peek(accountId) !== undefined && house.ledger.isOpen(accountId)) return
  house.accounts.rows.load(accountId).then((row) => {
    if (row !== null) house.ledger.open(row)
  }, ignore)
}

/** Whoever waits for the read gets its error; warming itself has nobody to tell. */
const ignore = (): void => {}
