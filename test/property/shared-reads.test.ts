import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SharedRead } from '../../src/lib/index.ts'
import { fakeClock, settleMicrotasks } from '../support/fake-clock.ts'
import { type MakeSharedRead, sharedReadMutants, unchangedSharedRead } from './read-mutants.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const JOIN_MS = 1500
const DEADLINE_MS = 5000
const KEPT_MAX = 2
const KEYS = ['a', 'b', 'c', 'd']

const key = fc.constantFrom(...KEYS)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('load' as const), key }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('deliver' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 700, 1500, 5000) }) },
)

interface Reading {
  readonly key: string
  /** What the disk had when it was begun. */
  readonly version: number
  readonly begunMs: number
  readonly end: PromiseWithResolvers<number>
}

interface Loading {
  readonly key: string
  readonly begunMs: number
  end: { readonly version: number } | { readonly error: string } | null
}

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** A shared read over a disk whose reads end when the test says so. */
class World {
  readonly clock = fakeClock()
  readonly shared: SharedRead<number>
  readonly loads: Loading[] = []
  /** What was wrong where nobody can throw. */
  readonly wrongs: unknown[] = []
  readonly #disk = new Map(KEYS.map((name) => [name, 1]))
  readonly #underWay: Reading[] = []
  /** A read needs a reason: the first time, a write, a failure, lateness, an eviction. */
  readonly #mayRead = new Map(KEYS.map((name) => [name, 1]))

  constructor(make: MakeSharedRead) {
    this.shared = make<number>({ sizeMax: KEPT_MAX, clock: this.clock, read: (name) => this.#read(name) })
  }

  onDisk = (name: string): number => this.#disk.get(name) ?? 0
  kept = (): string[] => KEYS.filter((name) => this.shared.peek(name) !== undefined)
  nowMs = (): number => this.clock.monotonicUs() / 1000

  allow(names: readonly string[], times = 1): void {
    for (const name of names) this.#mayRead.set(name, (this.#mayRead.get(name) ?? 0) + times)
  }

  load(name: string): void {
    const loading: Loading = { key: name, begunMs: this.nowMs(), end: null }
    this.loads.push(loading)
    const told = this.shared.load(name).then(
      (version) => {
        expect(version).toBe(this.onDisk(name)) // not even once what was there before the last write
        loading.end = { version }
      },
      (error: Error) => {
        loading.end = { error: error.message }
      },
    )
    told.catch((wrong: unknown) => this.wrongs.push(wrong))
  }

  async play(one: Step): Promise<void> {
    if (one.kind === 'load') this.load(one.key)
    else if (one.kind === 'write') {
      this.#disk.set(one.key, this.onDisk(one.key) + 1)
      this.shared.drop(one.key)
      this.allow([one.key])
    } else if (one.kind === 'time') {
      const late = this.#underWay.filter(({ begunMs }) => this.nowMs() + one.ms - begunMs >= JOIN_MS)
      this.allow(late.map((reading) => reading.key))
      this.clock.advance(one.ms)
    } else await this.#end(one)
    await settleMicrotasks()
  }

  /** Takes what is under way out of the world's hand. */
  takeAll = (): Reading[] => this.#underWay.splice(0)

  #read(name: string): Promise<number> {
    const left = (this.#mayRead.get(name) ?? 0) - 1
    expect(left).toBeGreaterThanOrEqual(0)
    this.#mayRead.set(name, left)
    const reading = {
      key: name,
      version: this.onDisk(name),
      begunMs: this.nowMs(),
      end: Promise.withResolvers<number>(),
    }
    this.#underWay.push(reading)
    return reading.end.promise
  }

  async #end({ kind, at }: Extract<Step, { at: number }>): Promise<void> {
    const [reading] = this.#underWay.splice(at % Math.max(1, this.#underWay.length), 1)
    if (reading === undefined) return
    const before = this.kept()
    if (kind === 'deliver') reading.end.resolve(reading.version)
    else {
      this.allow([reading.key])
      reading.end.reject(new Error(`disk ${reading.key}`))
    }
    await settleMicrotasks()
    this.allow(before.filter((name) => this.shared.peek(name) === undefined))
  }
}

/** Whatever is read, joined, written, late and failed: nobody gets an old value, nobody waits without end, nobody reads without need. */
const sound = (make: MakeSharedRead) =>
  fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
    const world = new World(make)
    for (const one of steps) {
      await world.play(one)
      expect(world.kept().length).toBeLessThanOrEqual(KEPT_MAX)
      expectCurrent(world)
      for (const { end, begunMs } of world.loads)
        if (end === null) expect(world.nowMs() - begunMs).toBeLessThan(DEADLINE_MS)
    }
    await expectRecovery(world)
    expect(world.clock.timers).toBe(0)
    expect(world.wrongs).toEqual([])
  })

function expectCurrent({ shared, onDisk }: World): void {
  for (const name of KEYS) expect([undefined, onDisk(name)]).toContain(shared.peek(name))
}

/** What hangs now hangs for ever. Whoever joined it waits one join limit, then the next reads come at once. */
async function expectRecovery(world: World): Promise<void> {
  const { loads, clock, onDisk } = world
  const hanging = world.takeAll()
  world.allow(KEYS, 5)
  for (const name of KEYS) world.load(name)
  clock.advance(JOIN_MS)
  await settleMicrotasks()
  for (let turn = 0; turn < 10; turn++) {
    for (const reading of world.takeAll()) reading.end.resolve(reading.version)
    await settleMicrotasks()
  }
  expect(loads.filter(({ end }) => end === null)).toEqual([])
  for (const loading of loads.slice(-KEYS.length)) expect(loading.end).toEqual({ version: onDisk(loading.key) })
  for (const reading of hanging) reading.end.resolve(reading.version) // late: stored nowhere
  await settleMicrotasks()
  expectCurrent(world)
}

test('nobody gets an old value, waits without end or reads without need', () =>
  fc.assert(sound(unchangedSharedRead), { numRuns: RUNS }))

test.each(Object.entries(sharedReadMutants))('finds that %s', async (_, make) => {
  expect((await fc.check(sound(make), { numRuns: 400, seed: 7, endOnFailure: true })).failed).toBe(true)
})
