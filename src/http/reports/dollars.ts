import { formatUsd, type Money } from '../../domain/index.ts'

/** An amount as clients of these reports read it: a number of dollars, the nearest that there is. */
export const dollars = (amount: Money | bigint): number => Number(formatUsd(amount))
