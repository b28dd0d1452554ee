import { expect, test } from 'bun:test'
import { tellInTurns } from '../../../src/store/sqlite/tell-in-turns.ts'
import { breathe } from '../../support/wire.ts'

/** Those that wait, and who of them was told, by its place. */
function waiting(counts: readonly (number | undefined)[]) {
  const told: number[] = []
  const list = counts.map((count, at) => {
    const one = { resolve: () => void told.push(at) }
    return count === undefined ? one : { ...one, count }
  })
  return { list, told }
}

const places = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

test('few are told at once, in their order; nobody is nobody', () => {
  const { list, told } = waiting(Array.from({ length: 32 }, () => undefined))
  tellInTurns(list)
  expect(told).toEqual(places(32))
  tellInTurns([])
})

test('many are told 32 in a turn of the event loop, and all of them in the end', async () => {
  const { list, told } = waiting(Array.from({ length: 70 }, () => undefined))
  tellInTurns(list)
  expect(told).toEqual(places(32))
  await breathe()
  expect(told).toEqual(places(64))
  await breathe()
  expect(told).toEqual(places(70))
})

test('who waits for several counts as several', async () => {
  const { list, told } = waiting([undefined, 16, 16, 16, undefined])
  tellInTurns(list)
  expect(told).toEqual([0, 1, 2]) // 33: the last of a turn may reach beyond it
  await breathe()
  expect(told).toEqual([0, 1, 2, 3, 4])
})
