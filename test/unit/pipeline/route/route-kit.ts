import { buildCatalogue } from '../../../../src/catalogue/index.ts'
import {
  type AccountKind,
  type AccountTerms,
  type Candidate,
  type CredentialFault,
  DEFAULT_POLICY,
  mergePolicies,
  NO_CAUSES,
  NO_LIMITS,
  NO_TERMS,
  type Offer,
  type OwnSecret,
  type Policy,
  type QuarantineRow,
} from '../../../../src/domain/index.ts'
import { NO_PLACES, NOTHING_OBSERVED } from '../../../../src/health/index.ts'
import type { World } from '../../../../src/pipeline/route/rule.ts'
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
  readonly account?: Partial<AccountTerms>
  /** Of the key. */
  readonly policy?: Partial<Policy>
  readonly homeRegions?: readonly string[]
  /** Backend -> until when an operator took it out; null: until it is cleared. */
  readonly out?: Readonly<Record<string, number | null>>
  readonly own?: readonly OwnSecret[]
  /** By the id of an own credential. */
  readonly ownFaults?: Readonly<Record<string, CredentialFault>>
}

/** Wall time of every world. */
export const NOW_MS = 1_800_000_000_000

/** Six models on three backends, one of which is switched off, and who asks. */
export function worldOf({
  kind = 'prepaid',
  models,
  out = {},
  own = [],
  ownFaults = {},
  account = {},
  policy = {},
  homeRegions = [],
}: WorldSpec = {}): World {
  const rows = Object.entries(out).map(([backend, untilMs]): [string, QuarantineRow] => [
    backend,
    {
      ...NO_CAUSES,
      backend,
      version: 1,
      operator: { by: 'local:7', reason: 'a flood', sinceMs: NOW_MS - 1000, untilMs },
    },
  ])
  return {
    policy: mergePolicies(account.policy ?? DEFAULT_POLICY, { ...DEFAULT_POLICY, ...policy }),
    homeRegions,
    quarantine: new Map(rows),
    coolings: new Map(),
    ownFaults: new Map(Object.entries(ownFaults)),
    sort: null,
    ownFeeBps: 0,
    triesLeastBad: false,
    nowMs: NOW_MS,
    observed: NOTHING_OBSERVED,
    sticky: NO_PLACES,
    catalogue: buildCatalogue(parts, { version: 1, createdAtS: 0 }),
    context: {
      account: { id: 'acc', name: 'acc', kind, disabled: false, ...NO_TERMS, ...account, version: 1 },
      key: {
        id: 'key',
        accountId: 'acc',
        name: 'key',
        prefix: 'sk',
        ...NO_LIMITS,
        models: models ?? null,
        revoked: false,
        version: 1,
      },
      own,
    },
  }
}

/** The offer of a model on a backend, as a candidate. */
export function candidateOf(world: World, model: string, backend: string): Candidate {
  const offer = world.catalogue.models.get(model)?.offers.find((one: Offer) => one.backend.id === backend)
  if (offer === undefined) throw new Error(`no offer of ${model} on ${backend}`)
  return { offer }
}

/** An own credential of the account. */
export const ownSecret = (id: string, provider = north.provider.id, baseUrl: string | null = null): OwnSecret => ({
  id,
  accountId: 'acc',
  provider,
  baseUrl,
  sealed: `sealed ${id}`,
  secret: `secret of ${id}`,
  fault: null,
})
