import type { Backend, Candidate, DataHandling } from '../../../../../src/domain/index.ts'
import { backendOf, modelOf } from '../../../catalogue/support.ts'

export interface PlaceSpec {
  readonly id?: string
  readonly provider?: string
  readonly region?: string | null
  readonly ownership?: string | null
  readonly data?: DataHandling | null
}

/** A backend at a place. */
export function backendAt({
  id = 'b',
  provider = 'acme',
  region = null,
  ownership = null,
  data = null,
}: PlaceSpec): Backend {
  const backend = backendOf(id)
  return { ...backend, region, provider: { ...backend.provider, id: provider, ownership, data } }
}

/** Its offer of the model `acme/m`. */
export function candidateAt(place: PlaceSpec): Candidate {
  const [offer] = modelOf('acme/m', [[backendAt(place)]]).offers
  if (offer === undefined) throw new Error('a model has its offer')
  return { offer }
}
