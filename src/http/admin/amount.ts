import { formatUsd, type Money } from '../../domain/index.ts'

/** An amount under two names: decimal dollars for people, integer nano-dollars for programs. */
export const amount = (name: string, nanoDollars: Money): Record<string, string | number> => ({
  [`${name}_usd`]: formatUsd(nanoDollars),
  [`${name}_nano`]: nanoDollars,
})
