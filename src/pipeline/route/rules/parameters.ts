import { type Offer, PARAMETERS_OF } from '../../../domain/index.ts'
import type { Filter } from '../rule.ts'

/** For `require_parameters`: drops offers that are not known to know each parameter of the request. */
export const parameters: Filter = {
  kind: 'filter',
  name: 'parameters',
  wish: 'require_parameters',
  applies: ({ request }) => request?.preferences?.parameters != null,
  skip({ offer }, _, { request }) {
    const asked = request?.preferences?.parameters ?? []
    const known = knownBy(offer)
    const lacking = asked.filter((name) => !known.includes(name))
    if (lacking.length === 0) return null
    const names = lacking.join(', ')
    if (offer.parameters !== undefined) return { reason: `the offer does not know ${names}` }
    return { reason: `the offer is not known to know ${names}`, evidence: 'it has no list of parameters' }
  },
}

/** What its operator says; of one who says nothing, what follows from the capabilities. */
function knownBy({ parameters, capabilities }: Offer): readonly string[] {
  if (parameters !== undefined) return parameters
  return (capabilities ?? []).flatMap((capability) => PARAMETERS_OF[capability] ?? [])
}
