import { createOwnCredentials, type OwnCredentials } from '../../src/accounts/index.ts'
import { buildCatalogue } from '../../src/catalogue/index.ts'
import {
  type AccountContext,
  type Catalogue,
  DEFAULT_POLICY,
  GatewayError,
  money,
  type OwnSecret,
  type Policy,
  type RoutePlan,
} from '../../src/domain/index.ts'
import { enter } from '../../src/pipeline/enter.ts'
import type { House } from '../../src/pipeline/index.ts'
import { captureWorld, refuseEmptyPlan, route } from '../../src/pipeline/route/index.ts'
import type { Wish } from '../../src/pipeline/route/rule.ts'
import { beginWork } from '../../src/pipeline/work.ts'
import type { SealedCredential } from '../../src/store/index.ts'
import { hashKey } from '../../src/vault/index.ts'
import { asking } from '../support/ask.ts'
import { createHouseDouble, type HouseDouble, MODEL, seededRandom } from '../support/house.ts'
import { testVault } from '../support/vault.ts'
import { serialRoute } from './serial-route.ts'

export const ACCOUNTS = ['acc_0', 'acc_1', 'acc_2'] as const
/** Two of each account, and one that nobody made. */
export const SECRETS = ['sk-0', 'sk-1', 'sk-2', 'sk-3', 'sk-4', 'sk-5', 'sk-nobody'] as const
export const BACKENDS = ['b0', 'b1', 'b2', 'b3', 'b4', 'b5'] as const
export const BY = { actor: 'local:7', claim: null }

/** What became of a request: its plan, or the code it was refused with. */
export type Planned = RoutePlan | string

/** A house with three accounts, six keys and six backends. */
export interface ColdWorld {
  readonly double: HouseDouble
  readonly house: House
  readonly own: OwnCredentials
  /** Switches a backend off or on in the catalogue of the next request. */
  toggle(backend: string): void
}

/** Makes a cold world; none of its reads is delivered unless it is released. Crowded: memory holds fewer accounts and keys than there are. */
export function createColdWorld(isCrowded: boolean): ColdWorld {
  const double = createHouseDouble({
    backends: Object.fromEntries(BACKENDS.map((id) => [id, {}])),
    kept: isCrowded ? { keys: 4, accounts: 2 } : {},
  })
  const { store } = double
  for (const id of ACCOUNTS) store.seedAccount({ id, balance: money(1_000_000_000) })
  const budgets = { total: money(1_000_000_000), day: null, week: null, month: null }
  const limits = { requestsPerMinute: 1_000_000, tokensPerMinute: null, concurrency: null }
  SECRETS.slice(0, -1).forEach((secret, at) => {
    const accountId = ACCOUNTS[Math.floor(at / 2)] ?? ACCOUNTS[0]
    const terms = at % 2 === 0 ? {} : { budgets, limits }
    store.seedKey({ id: `key_${at}`, accountId, hash: hashKey(secret), ...terms })
  })
  const off = new Set<string>()
  let catalogue = double.house.catalogue()
  const house: House = { ...double.house, catalogue: () => catalogue }
  const own = createOwnCredentials({
    reader: store.reader,
    writer: store.writer,
    vault: testVault(seededRandom(3)),
    clock: double.clock,
    random: seededRandom(2),
    onChange: (accountId) => house.accounts.rows.drop(accountId),
  })
  store.readGate.holdBack()
  return {
    double,
    house,
    own,
    toggle(backend) {
      if (!off.delete(backend)) off.add(backend)
      catalogue = catalogueWithout(double, off)
    },
  }
}

function catalogueWithout(double: HouseDouble, off: ReadonlySet<string>): Catalogue {
  const offers = double.offers().map((offer) => {
    const enabled = !off.has(offer.backend.id)
    return { ...offer, backend: { ...offer.backend, enabled } }
  })
  const common = { contextTokensMax: null, outputTokensMax: null, capabilities: [] }
  const parts = {
    backends: new Map(offers.map(({ backend }) => [backend.id, backend])),
    models: new Map([[MODEL, { id: MODEL, ...common, offers }]]),
    aliases: new Map<string, string>(),
  }
  return buildCatalogue(parts, { version: 2, createdAtS: 1_800_000_000 })
}

/** How a request comes to its plan: a deliberate fault changes a step of it. */
export interface Steps {
  readonly enter: typeof enter
  readonly capture: typeof captureWorld
  readonly route: typeof route
}

export const STEPS: Steps = { enter, capture: captureWorld, route }

/** One request from its head to its plan, as `run` does it: what became of it, and what the reference says at the same moment. */
export async function planOf(
  { double, house }: ColdWorld,
  secret: string,
  session: string | undefined,
  steps: Steps,
): Promise<{ readonly planned: Planned; readonly expected: Planned }> {
  const { arrival } = asking({ body: null, headers: { authorization: `Bearer ${secret}` } })
  const work = beginWork(house, arrival)
  const wish: Wish = { model: MODEL, seed: work.call.requestId, session }
  let planned: Planned
  try {
    const { context } = await steps.enter(work, arrival)
    const plan = steps.route(steps.capture(house, context, session), wish)
    refuseEmptyPlan(plan, house.health.nowMs())
    planned = plan
  } catch (error) {
    planned = error instanceof GatewayError ? error.code : error instanceof Error ? error.name : 'thrown'
  }
  work.over(null)
  return { planned, expected: serialPlan({ double, house }, secret, wish) }
}

/** The same, from the tables as they are now: one look after the other, nothing kept. */
function serialPlan({ double, house }: Pick<ColdWorld, 'double' | 'house'>, secret: string, wish: Wish): Planned {
  const { tables } = double.store
  const hash = hashKey(secret)
  const key = [...tables.keys.values()].find((row) => row.hash === hash)?.key
  if (key === undefined || key.revoked || key.disabled) return 'invalid_api_key'
  const account = tables.accounts.get(key.accountId)?.account
  if (account === undefined || account.disabled) return 'account_disabled'
  const own = [...tables.ownCredentials.values()].filter((row) => row.accountId === account.id && row.enabled)
  const context: AccountContext = { account, key, own: own.map(openedSecret) }
  const plan = serialRoute(captureWorld(house, context, wish.session), wish)
  if (plan === null) return 'model_not_found'
  try {
    refuseEmptyPlan(plan, house.health.nowMs())
    return plan
  } catch (error) {
    return error instanceof GatewayError ? error.code : 'thrown'
  }
}

function openedSecret({ id, accountId, provider, baseUrl, sealed, fault }: SealedCredential): OwnSecret {
  const secret = testVault(seededRandom()).open(sealed, { rowId: id, accountId })
  return { id, accountId, provider, baseUrl, sealed, fault, secret }
}

/** A policy of an account or a key. */
export const policyOf = (ignored: string | null): Policy => ({
  ...DEFAULT_POLICY,
  ignore: ignored === null ? null : [ignored],
})
