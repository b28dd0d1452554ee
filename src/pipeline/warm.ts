import type { Key } from '../domain/index.ts'
import type { Recognition } from './handover.ts'
import type { House } from './house.ts'
import { isKeyWarm, openKey } from './open-key.ts'

/**
 * Starts the reads a request will need as early as they are known: the account's row and what its key has used, as soon as the key is read,
 * while the body is still coming. Bound to no request: whoever needs the row joins the read.
 */
export function warm(house: House, recognition: Recognition): void {
  if (recognition.kind === 'known') start(house, recognition.principal.key)
  else recognition.principal.then(({ key }) => start(house, key), ignore)
}

function start(house: House, key: Key): void {
  if (!isKeyWarm(house, key)) openKey(house, key).catch(ignore)
  const { accountId } = key
  if (house.accounts.rows.peek(accountId) !== undefined && house.ledger.isOpen(accountId)) return
  house.accounts.rows.load(accountId).catch(ignore)
}

/** Whoever waits for the read gets its error; warming itself has nobody to tell. */
const ignore = (): void => {}
