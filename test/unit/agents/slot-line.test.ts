import { describe, expect, test } from 'bun:test'
import type { Slot } from '../../../src/agents/index.ts'
import { SlotLine, TakenSlot } from '../../../src/agents/slot-line.ts'
import { agentOf, backendAt } from './probe.ts'

const agent = agentOf(backendAt(1))

/** A full line of `size`, what it holds, and a maker of waiters that note what they are offered. */
function fullLine(size: number) {
  const line = new SlotLine(agent, size)
  const slots = Array.from({ length: size }, () => taken(line))
  const log: string[] = []
  const got = new Map<string, TakenSlot>()
  const waiter = (name: string, answer: () => boolean = () => true) => ({
    offer(slot: Slot) {
      log.push(name)
      const isTaken = answer()
      if (isTaken && slot instanceof TakenSlot) got.set(name, slot)
      return isTaken
    },
  })
  return { line, slots, log, got, waiter }
}

function taken(line: SlotLine): TakenSlot {
  const slot = line.take()
  if (slot === null) throw new Error('no slot')
  return slot
}

/** Puts a waiter `a` in line that asks for another slot while it is offered one; what it was answered. */
function askedWhileOffered(line: SlotLine, waiter: ReturnType<typeof fullLine>['waiter']) {
  const answers: unknown[] = []
  const ask = (): boolean => answers.push(line.take()) > 0
  line.join(waiter('a', ask))
  return { answers }
}

describe('SlotLine', () => {
  test('as many as its size', () => {
    const { line, slots } = fullLine(3)
    expect(line.take()).toBeNull()
    for (const slot of slots) line.release(slot)
    expect(line.taken).toBe(0)
  })

  test('a freed slot goes to the first in line, in the same tick', () => {
    const { line, slots, log, waiter } = fullLine(2)
    line.join(waiter('a'))
    line.join(waiter('b'))
    expect(log).toEqual([])
    for (const slot of slots) line.release(slot)
    expect(log).toEqual(['a', 'b'])
    expect(line).toMatchObject({ taken: 2, waiters: 0 })
  })

  test('a line that grows serves who waits; one that shrinks takes nobody’s slot away', () => {
    const { line, slots, log, waiter } = fullLine(2)
    line.join(waiter('a'))
    line.join(waiter('b'))
    line.resize(3)
    expect(log).toEqual(['a'])
    line.resize(1)
    expect(line).toMatchObject({ size: 1, taken: 3, waiters: 1 })
    for (const slot of slots) line.release(slot)
    expect(line).toMatchObject({ taken: 1, waiters: 1 })
    expect(log).toEqual(['a'])
    line.resize(2)
    expect(log).toEqual(['a', 'b'])
    expect(line.take()).toBeNull()
  })

  test('a smaller line has no more free slots than its size', () => {
    const line = new SlotLine(agent, 5)
    line.resize(1)
    expect(line.take()).not.toBeNull()
    expect(line.take()).toBeNull()
  })

  test('nor one that is free beside all that it may have', () => {
    const { line, slots } = fullLine(2)
    const [first] = slots
    if (first === undefined) throw new Error('no slot')
    line.release(first)
    line.resize(1)
    expect(line.take()).toBeNull()
  })

  test('nobody overtakes a waiter', () => {
    const { line, slots, got, waiter } = fullLine(1)
    const [first] = slots
    if (first === undefined) throw new Error('no slot')
    const asked = askedWhileOffered(line, waiter)
    line.join(waiter('b'))
    expect(line.take()).toBeNull()
    line.release(first)
    expect(asked.answers).toEqual([null])
    expect([...got.keys()]).toEqual(['a'])
  })

  test('nor who asks while several slots are offered, and there is one for each in line', () => {
    const { line, got, waiter } = fullLine(1)
    const asked = askedWhileOffered(line, waiter)
    line.join(waiter('b'))
    line.resize(3)
    expect(asked.answers).toEqual([null])
    expect([...got.keys()]).toEqual(['a', 'b'])
  })

  test('a declined slot goes to the next, and who declined is out of the line', () => {
    const { line, slots, log, got, waiter } = fullLine(1)
    line.join(waiter('a', () => false))
    line.join(waiter('b'))
    for (const slot of slots) line.release(slot)
    expect(log).toEqual(['a', 'b'])
    expect([...got.keys()]).toEqual(['b'])
    expect(line).toMatchObject({ taken: 1, waiters: 0 })
  })

  test('a slot that everybody declines is free', () => {
    const { line, slots, waiter } = fullLine(1)
    line.join(waiter('a', () => false))
    for (const slot of slots) line.release(slot)
    expect(line).toMatchObject({ taken: 0, waiters: 0 })
    expect(line.take()).not.toBeNull()
  })

  test('who joins where a slot is free is offered it at once', () => {
    const line = new SlotLine(agent, 1)
    const { waiter, log } = fullLine(1)
    line.join(waiter('a'))
    expect(log).toEqual(['a'])
  })

  test('who left is not offered anything; leaving twice does nothing', () => {
    const { line, slots, log, waiter } = fullLine(1)
    const gone = waiter('gone')
    line.join(gone)
    line.join(waiter('b'))
    line.leave(gone)
    line.leave(gone)
    for (const slot of slots) line.release(slot)
    expect(log).toEqual(['b'])
  })

  test('nor is anybody once all have left', () => {
    const { line, slots, log, waiter } = fullLine(1)
    line.join(waiter('a'))
    line.leaveAll()
    for (const slot of slots) line.release(slot)
    expect(log).toEqual([])
    expect(line).toMatchObject({ taken: 0, waiters: 0 })
  })

  test('a waiter may leave, join and release while it is offered a slot', () => {
    const { line, slots, log, got, waiter } = fullLine(2)
    const [one, two] = slots
    if (one === undefined || two === undefined) throw new Error('no slots')
    const greedy = waiter('greedy', () => {
      line.leave(greedy)
      line.release(two)
      return true
    })
    line.join(greedy)
    line.join(waiter('b'))
    line.release(one)
    expect(log).toEqual(['greedy', 'b'])
    expect(got.size).toBe(2)
    expect(line).toMatchObject({ taken: 2, waiters: 0 })
  })

  test('a slot given back twice is a bug', () => {
    const { line, slots } = fullLine(1)
    const [slot] = slots
    if (slot === undefined) throw new Error('no slot')
    line.release(slot)
    expect(() => line.release(slot)).toThrow('released twice')
    expect(line.taken).toBe(0)
  })

  test('a waiter that throws gives its slot back', () => {
    const { line, slots, waiter } = fullLine(1)
    line.join(
      waiter('a', () => {
        throw new Error('broken')
      }),
    )
    expect(() => {
      for (const slot of slots) line.release(slot)
    }).toThrow('broken')
    expect(line.taken).toBe(0)
  })
})
