import { formatUsd, type Usage } from '../domain/index.ts'
import type { ReplyStamp } from './surface.ts'

/** What a stamp says of an answer's money. */
export type MoneyStamp = Pick<ReplyStamp, 'cost' | 'isByok'>

/** The value of `usage` on a stamped surface, as JSON: these figures, but for what a provider says of money, and `cost` in dollars for the usage that is billed. */
export function withCost(figures: object, usage: Usage, { cost, isByok }: MoneyStamp): string {
  const told: Record<string, unknown> = { ...figures }
  for (const name of OURS) delete told[name]
  // Not through a number: its digits are exact as they stand.
  return `${JSON.stringify({ ...told, is_byok: isByok }).slice(0, -1)},"cost":${formatUsd(cost(usage))}}`
}

/** A provider may be a gateway itself, which says these too: its prices are none of the caller's. */
const OURS = ['cost', 'cost_details', 'is_byok']
