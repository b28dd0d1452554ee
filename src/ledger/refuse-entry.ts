import { formatUsd, GatewayError, negate } from '../domain/index.ts'
import type { EntryKind, NewEntry } from '../store/index.ts'
import { fundsOf, type LiveAccount } from './live-accounts.ts'

/** Throws what a caller of `enter` did wrong, before anything is written. */
export function refuseEntry(account: LiveAccount, { kind, amount }: NewEntry): void {
  const { balance, incoming, outgoing } = account
  if (amount === 0 || kind === 'promo_expiry' || (kind !== 'adjustment' && amount < 0))
    throw new GatewayError('invalid_request', WITHOUT_SENSE[kind], { param: 'amount' })
  if (kind === 'promo_grant' && account.kind === 'unmetered')
    throw new GatewayError('conflict', 'The account is unmetered: it needs no credit, and none could end.')
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

const WITHOUT_SENSE = {
  top_up: 'A top-up is more than 0.',
  adjustment: 'An adjustment of 0 changes nothing.',
  refund: 'A refund is more than 0.',
  promo_grant: 'A grant is more than 0.',
  promo_expiry: 'What ends of a lot is written by the ledger alone.',
} satisfies Record<EntryKind, string>
