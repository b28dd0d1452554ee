import { formatUsd, GatewayError, negate } from '../domain/index.ts'
import type { NewEntry } from '../store/index.ts'
import { fundsOf, type LiveAccount } from './live-accounts.ts'

/** Throws what a caller of `enter` did wrong, before anything is written. */
export function refuseEntry(account: LiveAccount, { kind, amount }: NewEntry): void {
  const { balance, incoming, outgoing } = account
  if (amount === 0 || (kind === 'top_up' && amount < 0))
    throw new GatewayError(
      'invalid_request',
      kind === 'top_up' ? 'A top-up is more than 0.' : 'An adjustment of 0 changes nothing.',
      { param: 'amount' },
    )
  const { available } = fundsOf(account)
  if (amount < 0 && account.kind === 'prepaid' && available + amount < 0)
    throw new GatewayError(
      'conflict',
      `The account has $${formatUsd(available)} available: $${formatUsd(negate(amount))} cannot be taken away.`,
    )
  if (!Number.isSafeInteger(balance + incoming - outgoing + amount))
    throw new GatewayError('invalid_request', 'The balance would be larger than the ledger can count.', {
      param: 'amount',
    })
}
