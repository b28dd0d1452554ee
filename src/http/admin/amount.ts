import { formatUsd, type Money } from '../../domain/index.ts'

/** An amount under two names: decimal dollars for people, integer nano-dollars for programs. Null is null under both; JSON leaves out what is undefined. */
export const amount = (name: string, nanoDollars: Money | null | undefined) => ({
  [`${name}_usd`]: nanoDollars == null ? nanoDollars : formatUsd(nanoDollars),
  [`${name}_nano`]: nanoDollars,
})
