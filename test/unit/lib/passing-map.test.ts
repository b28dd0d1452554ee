import { edenGC } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { PassingMap } from '../../../src/lib/index.ts'

const PASSING = 5000
const AT_ONCE = 32

/** Things pass through a map, 32 at once; answers how many of them are in memory after collections of young objects alone. */
async function stillInMemory(map: {
  set(at: number, thing: object): unknown
  delete(at: number): unknown
}): Promise<number> {
  const passed: WeakRef<object>[] = []
  for (let at = 0; at < PASSING; at++) {
    const thing = { at }
    passed.push(new WeakRef(thing))
    map.set(at, thing)
    map.delete(at - AT_ONCE)
    if (at % 500 !== 0) continue
    await new Promise(setImmediate) // what a WeakRef was made for lives until the end of the turn
    edenGC()
  }
  return passed.filter((ref) => ref.deref() !== undefined).length
}

describe('what has passed', () => {
  test('leaves memory with the next collections of young objects', async () => {
    expect(await stillInMemory(new PassingMap<number, object>())).toBeLessThan(PASSING / 3)
  })

  test('would stay in a Map: when this fails, PassingMap is needed no more', async () => {
    expect(await stillInMemory(new Map<number, object>())).toBeGreaterThan(PASSING * 0.8)
  })
})

test('is a map to whoever uses it, however often it begins anew', () => {
  const map = new PassingMap<number, string>()
  const model = new Map<number, string>()
  for (let step = 0; step < 3000; step++) {
    const key = (step * 7919) % 211
    if (step % 3 === 2) expect(map.delete(key)).toBe(model.delete(key))
    else {
      map.set(key, `value ${step}`)
      model.set(key, `value ${step}`)
    }
    expect(map.size).toBe(model.size)
    expect(map.get(key)).toBe(model.get(key))
    expect(map.has(key)).toBe(model.has(key))
  }
  expect([...map.keys()]).toEqual([...model.keys()])
  expect([...map.values()]).toEqual([...model.values()])
  map.clear()
  expect([map.size, [...map.keys()]]).toEqual([0, []])
})

test('may be emptied by whoever walks along it', () => {
  const map = new PassingMap<number, number>()
  for (let at = 0; at < 500; at++) map.set(at, at)
  const met: number[] = []
  for (const key of map.keys()) {
    met.push(key)
    map.delete(key)
  }
  expect(met).toEqual(Array.from({ length: 500 }, (_, at) => at))
  expect(map.size).toBe(0)
})
