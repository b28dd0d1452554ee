/**
 * What the stage `gw-route` costs by how wide a model is, and by how many accounts there are. Only ratios of one run are judged: times are the machine's.
 *   npm run bench:route
 */
import { buildCatalogue } from '../../src/catalogue/index.ts'
import { type AccountContext, money, type Offer } from '../../src/domain/index.ts'
import type { House } from '../../src/pipeline/index.ts'
import { captureWorld, refuseEmptyPlan, route, wishOf } from '../../src/pipeline/route/index.ts'
import { createHouseDouble, MODEL } from '../support/house.ts'
import { callAt, preparedOf } from '../unit/pipeline/support.ts'

const BATCH = 200
const BATCHES = 2000
const WARM_UP = 200
const NONE: readonly number[] = []
const WIDTH_RATIO_MAX = 2
const ACCOUNTS_RATIO_MAX = 1.1
const ACCOUNTS = 100_000
/** So many of the accounts ask, in turn: what more accounts cost a memory of the machine's processor is no matter of routing. */
const ASKING = 100

interface Lane {
  readonly house: House
  /** Who asks next. */
  context(at: number): AccountContext
  readonly session: boolean
}

/** So many backends, of which the first `offers` have the model, and the others another one. */
async function lane(backends: number, offers: number, accounts: number, session = false): Promise<Lane> {
  const names = Array.from({ length: backends }, (_, at) => [`b${String(at).padStart(2, '0')}`, {}])
  const double = createHouseDouble({ backends: Object.fromEntries(names) })
  const all = double.offers()
  const common = { contextTokensMax: null, outputTokensMax: null, capabilities: [] }
  const other = all.slice(offers).map((offer): Offer => ({ ...offer, model: 'other', id: `${offer.backend.id}/other` }))
  const models = [
    { id: MODEL, ...common, offers: all.slice(0, offers) },
    { id: 'other', ...common, offers: other },
  ]
  const parts = {
    backends: new Map(all.map(({ backend }) => [backend.id, backend])),
    models: new Map(models.map((model) => [model.id, model])),
    aliases: new Map<string, string>(),
  }
  const catalogue = buildCatalogue(parts, { version: 1, createdAtS: 0 })
  const house: House = { ...double.house, catalogue: () => catalogue }
  const asking = Math.min(accounts, ASKING)
  const contexts: AccountContext[] = []
  for (let at = 0; at < accounts; at++) {
    const id = `acc_${at}`
    double.store.seedAccount({ id, balance: money(1_000_000_000) })
    const key = double.store.seedKey({ id: `key_${at}`, accountId: id, hash: `hash_${at}` })
    const row = await house.accounts.rows.load(id)
    if (session) house.health.sessions.served({ accountId: id, session: 's', model: MODEL }, 'b00')
    if (row !== null && at % (accounts / asking) === 0) contexts.push({ account: row.account, key, own: row.own })
  }
  return {
    house,
    session,
    context(at) {
      const context = contexts[at % contexts.length]
      if (context === undefined) throw new Error('no account')
      return context
    },
  }
}

/** Times one batch of the stage as `run` has it; µs a request. */
function batch({ house, context, session }: Lane): number {
  const { facts } = preparedOf(session ? { session_id: 's' } : {})
  const begunNs = Bun.nanoseconds()
  for (let at = 0; at < BATCH; at++) {
    const wish = wishOf(CALL, facts)
    const world = captureWorld(house, context(at), wish.session)
    const plan = route(world, wish)
    refuseEmptyPlan(plan, world.nowMs)
    if (plan.candidates.length === 0) throw new Error('nobody may serve')
  }
  return (Bun.nanoseconds() - begunNs) / BATCH / 1000
}

const { call: CALL } = callAt(createHouseDouble())

/** Many batches of each lane, taken in turn, so that what the machine does meanwhile meets all. In µs a request. */
function timed<Name extends string>(lanes: Readonly<Record<Name, Lane>>): (name: Name) => readonly number[] {
  const times = new Map(Object.keys(lanes).map((name) => [name, [] as number[]]))
  for (let round = 0; round < WARM_UP + BATCHES; round++)
    for (const [name, one] of Object.entries<Lane>(lanes)) {
      const us = batch(one)
      if (round >= WARM_UP) times.get(name)?.push(us)
    }
  return (name) => times.get(name) ?? NONE
}

const median = (list: readonly number[]): number =>
  list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)] ?? Number.NaN

const failures: string[] = []

/** The median of the ratios of batches that were taken one after the other. */
function judge(name: string, most: number, these: readonly number[], those: readonly number[]): void {
  const ratio = median(these.map((us, at) => us / (those[at] ?? Number.NaN)))
  const bound = Number.isFinite(most) ? ` (at most ${most})` : ''
  const isGood = ratio <= most
  const verdict = isGood ? '' : '  TOO MUCH'
  console.log(
    `${name}: ${median(these).toFixed(2)} µs / ${median(those).toFixed(2)} µs = ${ratio.toFixed(2)}${bound}${verdict}`,
  )
  if (!isGood) failures.push(name)
}

const width = timed({
  one: await lane(1, 1, 1),
  wide: await lane(30, 16, 1),
  oneInSession: await lane(1, 1, 1, true),
  wideInSession: await lane(30, 16, 1, true),
})
judge('16 candidates over 30 backends against 1 over 1', WIDTH_RATIO_MAX, width('wide'), width('one'))
const inSession = [width('wideInSession'), width('oneInSession')] as const
judge('the same in a session', Number.POSITIVE_INFINITY, ...inSession)
const crowd = timed({ few: await lane(30, 16, ASKING, true), many: await lane(30, 16, ACCOUNTS, true) })
judge(`${ACCOUNTS} accounts against ${ASKING}`, ACCOUNTS_RATIO_MAX, crowd('many'), crowd('few'))
process.exit(failures.length === 0 ? 0 : 1)
