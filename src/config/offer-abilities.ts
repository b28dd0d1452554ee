import type { Offer } from '../domain/index.ts'
import { defined } from '../lib/index.ts'
import type { ConfigInput } from './config-schema.ts'

type ModelInput = ConfigInput['models'][string]
type OfferInput = ModelInput['offers'][number]

/** What an offer is known to be able to do: by what it says itself, else by its model. */
export function offerAbilities(model: ModelInput, offer: OfferInput): Partial<Offer> {
  return defined({
    operations: offer.operations ?? model.operations,
    capabilities: offer.capabilities ?? model.capabilities,
    parameters: offer.parameters ?? model.parameters,
    quantization: offer.quantization,
    weight: offer.weight,
  })
}
