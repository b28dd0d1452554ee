import type { Hold, Money } from '../../domain/index.ts'

/** A hold as it crosses to the writer thread and is bound there: values alone; `covers` is JSON already. */
export type HoldValues = readonly [
  requestId: string,
  accountId: string,
  keyId: string,
  openedAtMs: number,
  amount: Money,
  covers: string,
]

/** The values of a hold's columns. */
export const holdValues = ({ requestId, accountId, keyId, openedAtMs, amount, covers }: Hold): HoldValues => [
  requestId,
  accountId,
  keyId,
  openedAtMs,
  amount,
  JSON.stringify(covers),
]
