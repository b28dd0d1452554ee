import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { admit } from '../../src/pipeline/admit.ts'
import { authenticate, recognise } from '../../src/pipeline/authenticate.ts'
import { receiveHead } from '../../src/pipeline/receive.ts'
import { hashKey } from '../../src/vault/index.ts'
import { settleMicrotasks } from '../support/fake-clock.ts'
import { MODEL } from '../support/house.ts'
import {
  ACCOUNTS,
  BACKENDS,
  BY,
  type ColdWorld,
  createColdWorld,
  type Planned,
  planOf,
  policyOf,
  SECRETS,
  STEPS,
  type Steps,
} from './cold-worlds.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const DEADLINE_MS = 5000
const ALL_AT_ONCE = 20

const kind = <K extends string>(name: K) => fc.constant(name)
const account = fc.constantFrom(...ACCOUNTS)
const backend = fc.constantFrom(...BACKENDS)
const keyNumber = fc.nat(SECRETS.length - 2)
const ignored = fc.constantFrom(null, ...BACKENDS)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('ask'),
      secret: fc.constantFrom(...SECRETS),
      session: fc.constantFrom(undefined, 's'),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: kind('deliver'), at: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('wave') }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('fail'), at: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('time'), ms: fc.constantFrom(100, 1500, 5000) }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('key'), keyNumber, ignored }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('able'), keyNumber, disabled: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('revoke'), keyNumber }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('account'), account, ignored, disabled: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('own'), account }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('quarantine'), backend, out: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('toggle'), backend }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('sticky'), account, backend }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('evict'), account, keyNumber }) },
)

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

interface Request {
  readonly begunMs: number
  end: { readonly planned: Planned; readonly expected: Planned } | null
}

/** A deliberate fault: of a step, or of the world. */
export interface ColdDefect {
  readonly steps?: Partial<Steps>
  readonly spoil?: (world: ColdWorld) => void
}

/** Steps that give no reason to read anything twice. */
const PLAIN_STEPS: ReadonlySet<Step['kind']> = new Set(['ask', 'deliver', 'wave', 'toggle', 'sticky', 'quarantine'])

/** Reads end in any order, are joined, evicted, fail and are late, and writes come in between: each plan is that of the serial reference. */
const agrees = (defect: ColdDefect) =>
  fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), fc.boolean(), async (steps, isCrowded) => {
    const world = createColdWorld(isCrowded)
    defect.spoil?.(world)
    const { clock, store } = world.double
    const { readGate } = store
    const requests: Request[] = []
    let failures = 0
    let isPlain = !isCrowded
    const names = new Set<string>()

    function askNow({ secret, session }: Extract<Step, { kind: 'ask' }>): void {
      const request: Request = { begunMs: clock.wallMs(), end: null }
      requests.push(request)
      planOf(world, secret, session, { ...STEPS, ...defect.steps }).then((end) => {
        request.end = end
      })
    }

    async function settled(): Promise<void> {
      await settleMicrotasks()
      for (const name of readGate.waiting) names.add(name)
      if (isPlain) expect(readGate.begun).toBe(names.size) // each is read once
    }

    for (const one of steps) {
      isPlain &&= PLAIN_STEPS.has(one.kind)
      if (one.kind === 'ask') askNow(one)
      else if (one.kind === 'fail') failures += readGate.waiting.length > 0 ? 1 : 0
      await play(world, one)
      await settled()
    }
    for (let turn = 0; turn < ALL_AT_ONCE && readGate.release() > 0; turn++) await settled()
    for (const { begunMs, end } of requests) {
      if (end === null) throw new Error('a request never ended')
      const isLate = end.planned === 'ReadDeadline' && clock.wallMs() - begunMs >= DEADLINE_MS
      const hasFailed = end.planned === 'Error' && failures > 0
      if (!isLate && !hasFailed) expect(end.planned).toEqual(end.expected)
    }
    await world.double[Symbol.asyncDispose]()
  })

/** Does one step; those that write wait for their write. */
async function play({ double, house, own, toggle }: ColdWorld, one: Step): Promise<void> {
  const { readGate } = double.store
  const { accounts, health } = house
  switch (one.kind) {
    case 'ask':
      return
    case 'deliver':
    case 'fail': {
      const { length } = readGate.waiting
      if (length > 0) readGate.releaseOne(one.at % length, one.kind === 'fail' ? new Error('disk') : undefined)
      return
    }
    case 'wave':
      readGate.release()
      return
    case 'time':
      double.clock.advance(one.ms)
      return
    case 'key':
      await accounts.updateKey({ id: `key_${one.keyNumber}`, change: { policy: policyOf(one.ignored) }, version: null })
      return
    case 'able':
      await accounts.updateKey({ id: `key_${one.keyNumber}`, change: { disabled: one.disabled }, version: null })
      return
    case 'revoke':
      await accounts.revokeKey(`key_${one.keyNumber}`)
      return
    case 'account': {
      const change = { policy: policyOf(one.ignored), disabled: one.disabled }
      await accounts.updateAccount({ id: one.account, change, version: null })
      return
    }
    case 'own':
      await changeOwn(own, one.account)
      return
    case 'quarantine':
      if (one.out) await health.set({ backend: one.backend, reason: 'x', forMs: null }, BY)
      else await health.clear(one.backend, BY)
      return
    case 'toggle':
      toggle(one.backend)
      return
    case 'sticky':
      health.sessions.served({ accountId: one.account, session: 's', model: MODEL }, one.backend)
      return
    case 'evict':
      accounts.rows.drop(one.account)
      accounts.keys.drop(hashKey(SECRETS[one.keyNumber] ?? ''))
  }
}

/** Brings one, switches it off, takes it away. */
async function changeOwn(own: ColdWorld['own'], accountId: string): Promise<void> {
  const [there] = await own.list(accountId, { limit: 1, after: null })
  if (there === undefined) {
    const wish = { accountId, provider: 'acme', name: 'mine', baseUrl: null, secret: 'sk-own', enabled: true }
    await own.create(wish, BY)
  } else {
    const which = { accountId, id: there.id, version: null }
    if (there.enabled) await own.update(which, { enabled: false }, BY)
    else await own.remove(which, BY)
  }
}

test('whatever the order of the reads behind it, and whatever is written meanwhile, a plan is that of the serial reference', () =>
  fc.assert(agrees({}), { numRuns: RUNS }))

/** What was authenticated before the account was read is not looked at again. */
const enterOnce: Steps['enter'] = async ({ house, call }, arrival) => {
  const head = receiveHead(house, call)
  const recognition = recognise(house, head.secrets, arrival.remoteAddress)
  const principal = await authenticate(house, head.secrets, recognition, arrival.remoteAddress)
  return { context: await admit(house, principal), body: new Uint8Array() }
}

let moment = 0

const DEFECTS: Readonly<Record<string, ColdDefect>> = {
  'a change of an account drops nothing': {
    spoil: ({ house }) => Object.assign(house.accounts.rows, { drop() {} }),
  },
  'a change of a key drops nothing': {
    spoil: ({ house }) => Object.assign(house.accounts.keys, { drop() {} }),
  },
  'the generation of a key that is being read is not bumped': {
    spoil({ house: { accounts } }) {
      const { drop, peek } = accounts.keys
      Object.assign(accounts.keys, { drop: (hash: string) => (peek(hash) === undefined ? null : drop(hash)) })
    },
  },
  'a change of own credentials is told to nobody': {
    spoil: (world) => {
      const { rows } = world.house.accounts
      const { drop } = rows
      const quiet = ['create', 'update', 'remove'] as const
      for (const name of quiet) {
        const change: (...args: never[]) => Promise<unknown> = world.own[name]
        const wrapped = async (...args: never[]): Promise<unknown> => {
          Object.assign(rows, { drop() {} })
          return change(...args).finally(() => Object.assign(rows, { drop }))
        }
        Object.assign(world.own, { [name]: wrapped })
      }
    },
  },
  'each request reads for itself': {
    spoil({ double, house: { accounts } }) {
      const { keyByHash } = double.store.reads
      Object.assign(accounts.keys, { load: (hash: string) => keyByHash(hash) })
    },
  },
  'a request goes on with the key it came with': { steps: { enter: enterOnce } },
  'a skip is lost': {
    steps: {
      route(world, wish) {
        const plan = STEPS.route(world, wish)
        return { ...plan, skips: plan.skips.slice(1) }
      },
    },
  },
  'candidates stand in the order in which something was done': {
    steps: {
      route(world, wish) {
        const plan = STEPS.route(world, wish)
        const at = moment++ % Math.max(1, plan.candidates.length)
        return { ...plan, candidates: [...plan.candidates.slice(at), ...plan.candidates.slice(0, at)] }
      },
    },
  },
  'quarantine is that of the start': {
    steps: { capture: (...of) => ({ ...STEPS.capture(...of), quarantine: new Map() }) },
  },
  'another account has the session too': {
    steps: {
      capture: (house, context, session) => {
        const sticky = house.health.sessions.of(ACCOUNTS[0], session ?? '')
        return { ...STEPS.capture(house, context, session), sticky }
      },
    },
  },
}

test.each(Object.entries(DEFECTS))('finds that %s', async (_, defect) => {
  expect((await fc.check(agrees(defect), { numRuns: 500, seed: 7, endOnFailure: true })).failed).toBe(true)
})
