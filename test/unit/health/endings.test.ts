import { expect, test } from 'bun:test'
import { Endings } from '../../../src/health/endings.ts'

const START = 1_800_000_000_000
const summed = (endings: Endings) => {
  const sum = { ended: 0, failed: 0 }
  endings.addAllTo(sum)
  return sum
}

test('a slice leaves the sums when its time is over, and tells its place', () => {
  const endings = new Endings(1000, 3)
  endings.add(endings.moveTo(START), true)
  endings.add(endings.moveTo(START + 2000), false)
  expect(summed(endings)).toEqual({ ended: 2, failed: 1 })
  const cleared: number[] = []
  const place = endings.moveTo(START + 3000, (at) => cleared.push(at))
  expect(cleared).toEqual([place])
  expect(summed(endings)).toEqual({ ended: 1, failed: 0 })
})

test('of the last slices, the one that it is among them', () => {
  const endings = new Endings(1000, 4)
  for (const second of [0, 1, 2]) endings.add(endings.moveTo(START + second * 1000), second > 0)
  const recent = { ended: 0, failed: 0 }
  endings.addLastTo(recent, 2)
  expect(recent).toEqual({ ended: 2, failed: 2 })
})

test('what changed is taken once; what is put back did not change, and is known by its time', () => {
  const endings = new Endings(1000, 4)
  endings.add(endings.moveTo(START + 1000), true)
  const put = endings.placeOf(START)
  if (put === null) throw new Error('it holds that slice')
  endings.put(put, 5, 2)
  expect(endings.takeChanged()).toMatchObject([
    { lengthMs: 1000, startsAtMs: START + 1000, expiresAtMs: START + 5000, ended: 1, failed: 1 },
  ])
  expect(endings.takeChanged()).toEqual([])
  expect(summed(endings)).toEqual({ ended: 6, failed: 3 })
  expect([endings.placeOf(START - 4000), endings.placeOf(START + 2000), endings.placeOf(START + 1)]).toEqual([
    null,
    null,
    null,
  ])
})
