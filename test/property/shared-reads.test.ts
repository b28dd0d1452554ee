import { expect, test } from 'bun:test'
import fc from 'fast-check'
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

/** Whatever is read, joined, written, late and failed: nobody gets an old value, nobody waits without end, nobody reads without need. */
const sound = (make: MakeSharedRead) =>
  fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
    const clock = fakeClock()
    const nowMs = (): number => clock.monotonicUs() / 1000
    const disk = new Map(KEYS.map((name) => [name, 1]))
    const onDisk = (name: string): number => disk.get(name) ?? 0
    const underWay: Reading[] = []
    const loads: Loading[] = []
    const mayRead = new Map(KEYS.map((name) => [name, 1])) // a read needs a reason: the first time, a write, a failure, lateness, an eviction
    const allow = (names: readonly string[]): void => {
      for (const name of names) mayRead.set(name, (mayRead.get(name) ?? 0) + 1)
    }
    const shared = make<number>({
      sizeMax: KEPT_MAX,
      clock,
      read(name) {
        const left = (mayRead.get(name) ?? 0) - 1
        expect(left).toBeGreaterThanOrEqual(0)
        mayRead.set(name, left)
        const reading = { key: name, version: onDisk(name), begunMs: nowMs(), end: Promise.withResolvers<number>() }
        underWay.push(reading)
        return reading.end.promise
      },
    })
    const take = (at: number): Reading | undefined => underWay.splice(at % Math.max(1, underWay.length), 1)[0]
    const kept = (): string[] => KEYS.filter((name) => shared.peek(name) !== undefined)

    function load(name: string): void {
      const loading: Loading = { key: name, begunMs: nowMs(), end: null }
      loads.push(loading)
      shared
        .load(name)
        .then(
          (version) => {
            expect(version).toBe(onDisk(name)) // not even once what was there before the last write
            loading.end = { version }
          },
          (error: Error) => {
            loading.end = { error: error.name === 'ReadDeadline' ? error.name : error.message }
          },
        )
        .catch((wrong: unknown) => wrongs.push(wrong))
    }
    const wrongs: unknown[] = []

    async function play(one: typeof step extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> {
      if (one.kind === 'load') load(one.key)
      else if (one.kind === 'write') {
        disk.set(one.key, onDisk(one.key) + 1)
        shared.drop(one.key)
        allow([one.key])
      } else if (one.kind === 'time') {
        const late = underWay.filter(({ begunMs }) => nowMs() + one.ms - begunMs >= JOIN_MS)
        allow(late.map((reading) => reading.key))
        clock.advance(one.ms)
      } else {
        const reading = take(one.at)
        if (reading === undefined) return
        const before = kept()
        if (one.kind === 'deliver') reading.end.resolve(reading.version)
        else {
          allow([reading.key])
          reading.end.reject(new Error(`disk ${reading.key}`))
        }
        await settleMicrotasks()
        allow(before.filter((name) => shared.peek(name) === undefined))
      }
    }

    for (const one of steps) {
      await play(one)
      await settleMicrotasks()
      expect(kept().length).toBeLessThanOrEqual(KEPT_MAX)
      for (const name of KEYS) expect([undefined, onDisk(name)]).toContain(shared.peek(name))
      for (const loading of loads) if (loading.end === null) expect(nowMs() - loading.begunMs).toBeLessThan(DEADLINE_MS)
    }
    // What hangs now hangs for ever. Whoever joined it waits one join limit, then the next reads come at once.
    const hanging = underWay.splice(0)
    allow(KEYS.flatMap((name) => [name, name, name, name, name]))
    for (const name of KEYS) load(name)
    clock.advance(JOIN_MS)
    await settleMicrotasks()
    for (let turn = 0; turn < 10; turn++) {
      for (const reading of underWay.splice(0)) reading.end.resolve(reading.version)
      await settleMicrotasks()
    }
    expect(loads.filter(({ end }) => end === null)).toEqual([])
    for (const loading of loads.slice(-KEYS.length)) expect(loading.end).toEqual({ version: onDisk(loading.key) })
    for (const reading of hanging) reading.end.resolve(reading.version) // late: stored nowhere
    await settleMicrotasks()
    for (const name of KEYS) expect([undefined, onDisk(name)]).toContain(shared.peek(name))
    expect(clock.timers).toBe(0)
    expect(wrongs).toEqual([])
  })

test('nobody gets an old value, waits without end or reads without need', () =>
  fc.assert(sound(unchangedSharedRead), { numRuns: RUNS }))

test.each(Object.entries(sharedReadMutants))('finds that %s', async (_, make) => {
  expect((await fc.check(sound(make), { numRuns: 400, seed: 7, endOnFailure: true })).failed).toBe(true)
})
