import type { Offer } from '../domain/index.ts'
import type { ConfigInput } from './config-schema.ts'

type ModelInput = ConfigInput['models'][string]
type OfferInput = ModelInput['offers'][number]

/** What an offer is known to be able to do: by what it says itself, else by its model. */
export function offerAbilities(model: ModelInput, offer: OfferInput): Partial<Offer> {
  const capabilities = offer.capabilities ?? model.capabilities
  const parameters = offer.parameters ?? model.parameters
  const operations = offer.operations ?? model.operations
  const { quantization, weight } = offer
  return {
    ...(operations === undefined ? {} : { operations }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(quantization === undefined ? {} : { quantization }),
    ...(weight === undefined ? {} : { weight }),
  }
}
