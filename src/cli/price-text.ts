import { z } from 'zod'
import { formatUsd, money } from '../domain/index.ts'

/** A price per million units as "$0.15 / $0.60" (input / output; of short prompts, when it has tiers); "none": only unmetered accounts are served. */
export function priceText(price: z.infer<typeof priceShape> | null): string {
  if (price === null) return 'none'
  const base = [price.input, price.output].map((nano) => `$${formatUsd(money(nano))}`).join(' / ')
  return (price.tiers ?? []).length === 0 ? base : `${base}, tiered`
}

/** In nano-dollars per million units. */
const priceShape = z.object({
  input: z.number(),
  output: z.number(),
  tiers: z.array(z.unknown()).readonly().optional(),
})

/** An offer as the admin interface shows it. */
export const offerShape = z.object({
  offer: z.string(),
  backend: z.string(),
  provider_model: z.string(),
  enabled: z.boolean(),
  price: priceShape.nullable(),
})
