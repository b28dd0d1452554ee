import { buildCatalogue } from '../../../../src/catalogue/index.ts'
import type { AccountKind, Candidate, Offer } from '../../../../src/domain/index.ts'
import type { World } from '../../../../src/pipeline/route/index.ts'
import { backendOf, modelOf, partsOf } from '../../catalogue/support.ts'

const PRICE = { input: 1, output: 1 }
const north = backendOf('north')
const south = backendOf('south')
const off = backendOf('off', false)

const parts = partsOf(
  [north, south, off],
  [
    modelOf('acme/small', [
      [south, { price: PRICE }],
      [off, { price: PRICE }],
      [north, { price: PRICE, enabled: false }],
    ]),
    modelOf('acme/large', [
      [north, { price: PRICE }],
      [south, { price: PRICE }],
    ]),
    modelOf('acme/unpriced', [[north], [south, { price: PRICE }]]),
    modelOf('acme/unsold', [[north], [south]]),
    modelOf('acme/none', []),
    modelOf('acme/off', [[off, { price: PRICE }]]),
  ],
  { small: 'acme/small' },
)

export interface WorldSpec {
  readonly kind?: AccountKind
  /** What the key may use; all when it is not given. */
  readonly models?: readonly string[]
}

/** Six models on three backends, one of which is switched off, and who asks. */
export function worldOf({ kind = 'prepaid', models }: WorldSpec = {}): World {
  return {
    catalogue: buildCatalogue(parts, { version: 1, createdAtS: 0 }),
    context: {
      account: { id: 'acc', name: 'acc', kind, disabled: false },
      key: { id: 'key', accountId: 'acc', name: 'key', prefix: 'sk', models: models ?? null, revoked: false },
    },
  }
}

/** The offer of a model on a backend, as a candidate. */
export function candidateOf(world: World, model: string, backend: string): Candidate {
  const offer = world.catalogue.models.get(model)?.offers.find((one: Offer) => one.backend.id === backend)
  if (offer === undefined) throw new Error(`no offer of ${model} on ${backend}`)
  return { offer }
}
