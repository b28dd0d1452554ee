import { describe, expect, test } from 'bun:test'
import { sharedRead } from '../../../src/lib/index.ts'
import { fakeClock, settleMicrotasks } from '../../support/fake-clock.ts'

/** A store whose reads are released by hand. */
function heldStore() {
  const reads: PromiseWithResolvers<string>[] = []
  const clock = fakeClock()
  const shared = sharedRead<string>({
    read: () => {
      const read = Promise.withResolvers<string>()
      reads.push(read)
      return read.promise
    },
    clock,
    sizeMax: 3,
  })
  const release = async (at: number, value: string) => {
    reads[at]?.resolve(value)
    await settleMicrotasks()
  }
  return { shared, reads, clock, release }
}

describe('shared read', () => {
  test('fifty who ask at once share one read', async () => {
    const { shared, reads, release } = heldStore()
    const loads = Array.from({ length: 50 }, () => shared.load('a'))
    expect(reads.length).toBe(1)
    await release(0, 'row')
    expect(await Promise.all(loads)).toEqual(Array(50).fill('row'))
    expect(shared.peek('a')).toBe('row')
    expect(await shared.load('a')).toBe('row')
    expect(reads.length).toBe(1)
  })

  test('a read begun before a write is stored nowhere, and its waiters read again', async () => {
    const { shared, reads, release } = heldStore()
    const load = shared.load('a')
    shared.drop('a')
    await release(0, 'old')
    expect(shared.peek('a')).toBeUndefined()
    expect(reads.length).toBe(2)
    await release(1, 'new')
    expect(await load).toBe('new')
  })

  test('a read that never settles delays others by one join limit, and only once', async () => {
    const { shared, reads, clock, release } = heldStore()
    shared.load('a').catch(() => {})
    const second = shared.load('a')
    const third = shared.load('a')
    await settleMicrotasks()
    expect(reads.length).toBe(1)
    clock.advance(1500)
    await settleMicrotasks()
    expect(reads.length).toBe(2)
    const fourth = shared.load('a')
    expect(reads.length).toBe(2)
    await release(1, 'row')
    expect(await Promise.all([second, third, fourth])).toEqual(['row', 'row', 'row'])
  })

  test('the outdated read that comes late does not overwrite the newer one', async () => {
    const { shared, clock, release } = heldStore()
    const first = shared.load('a')
    const second = shared.load('a')
    await settleMicrotasks()
    clock.advance(1500)
    await settleMicrotasks()
    await release(1, 'new')
    expect(await second).toBe('new')
    await release(0, 'late')
    expect(await first).toBe('new')
    expect(shared.peek('a')).toBe('new')
  })

  test('whoever began a read that never settles is served by the one in its place', async () => {
    const { shared, clock, release } = heldStore()
    const first = shared.load('a')
    const second = shared.load('a')
    clock.advance(1500)
    await settleMicrotasks()
    await release(1, 'row')
    expect(await Promise.all([first, second])).toEqual(['row', 'row'])
    expect(clock.timers).toBe(0)
  })

  test('a write lets all who wait for a read that never settles read again at once', async () => {
    const { shared, reads, release } = heldStore()
    const loads = [shared.load('a'), shared.load('a')]
    shared.drop('a')
    await settleMicrotasks()
    expect(reads.length).toBe(2)
    await release(1, 'new')
    expect(await Promise.all(loads)).toEqual(['new', 'new'])
  })

  test('when no read settles any more, nobody waits for longer than the deadline, however many there are', async () => {
    const { shared, clock } = heldStore()
    const ended: string[] = []
    for (const name of ['1', '2', '3', '4', '5', '6'])
      shared.load('a').catch((error: Error) => ended.push(`${name} ${error.name}`))
    for (let ms = 0; ms < 5000; ms += 500) {
      expect(ended).toEqual([])
      clock.advance(500)
      await settleMicrotasks()
    }
    expect(ended.toSorted()).toEqual(['1', '2', '3', '4', '5', '6'].map((name) => `${name} ReadDeadline`))
    expect(clock.timers).toBe(0)
  })

  test('a value is told of in the tick in which it comes into memory', async () => {
    const kept: string[] = []
    const shared = sharedRead<string>({
      read: async (key) => key,
      clock: fakeClock(),
      sizeMax: 3,
      onKeep: (value) => kept.push(`${value} ${shared.peek(value)}`),
    })
    await shared.load('a')
    await shared.load('a')
    expect(kept).toEqual(['a a'])
  })

  test('a rejected read evicts its slot: the next one reads again', async () => {
    const { shared, reads, release } = heldStore()
    const failing = shared.load('a')
    reads[0]?.reject(new Error('disk'))
    await expect(failing).rejects.toThrow('disk')
    const again = shared.load('a')
    expect(reads.length).toBe(2)
    await release(1, 'row')
    expect(await again).toBe('row')
  })

  test('a read has a deadline', async () => {
    const { shared, clock } = heldStore()
    const load = shared.load('a')
    const failed = load.then(
      () => null,
      (error: Error) => error.name,
    )
    clock.advance(5000)
    expect(await failed).toBe('ReadDeadline')
  })

  test('no more than so many values are kept, the oldest go first', async () => {
    const { shared, release } = heldStore()
    for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) {
      const load = shared.load(key)
      await release(at, key)
      await load
    }
    expect(shared.peek('a')).toBeUndefined()
    expect(shared.peek('d')).toBe('d')
  })

  test('no timer is left behind', async () => {
    const { shared, clock, release } = heldStore()
    const loads = [shared.load('a'), shared.load('a')]
    await release(0, 'row')
    await Promise.all(loads)
    await settleMicrotasks()
    expect(clock.timers).toBe(0)
  })
})
