import { Type } from '@sinclair/typebox'

/** What a proof of a ledger found. */
export const verified = Type.Object(
  {
    clean: Type.Boolean(),
    faults: Type.Array(Type.String(), { description: 'In words, each naming the row.' }),
    accounts: Type.Integer(),
    entries: Type.Integer(),
    settlements: Type.Integer(),
    open_holds: Type.Integer(),
    balance_sum_usd: Type.String(),
    balance_sum_nano: Type.String({ description: 'A text: the sum may be too large for a number.' }),
  },
  { title: 'Verification' },
)

/** An example of it. */
export const VERIFIED = {
  clean: true,
  faults: [],
  accounts: 1,
  entries: 1,
  settlements: 2,
  open_holds: 0,
  balance_sum_usd: '4.9999853',
  balance_sum_nano: '4999985300',
}
