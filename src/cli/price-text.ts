import { z } from 'zod'
import { formatUsd, money } from '../domain/index.ts'

/** A price per million units as "$0.15 / $0.60" (input / output); "none": only unmetered accounts are served. */
export function priceText(price: z.infer<typeof priceShape> | null): string {
  if (price === null) return 'none'
  return [price.input, price.output].map((nano) => `$${formatUsd(money(nano))}`).join(' / ')
}

/** In nano-dollars per million units. */
const priceShape = z.object({ input: z.number(), output: z.number() })

/** An offer as the admin interface shows it. */
export const offerShape = z.object({
  offer: z.string(),
  backend: z.string(),
  provider_model: z.string(),
  enabled: z.boolean(),
  price: priceShape.nullable(),
})
