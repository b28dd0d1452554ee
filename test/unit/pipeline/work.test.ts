import { expect, test } from 'bun:test'
import { money } from '../../../src/domain/index.ts'
import { beginWork } from '../../../src/pipeline/work.ts'
import { asking } from '../../support/ask.ts'
import { settleMicrotasks } from '../../support/fake-clock.ts'
import { createHouseDouble } from '../../support/house.ts'

const settledWith = (durable: Promise<void>) => ({
  cost: money(0),
  charged: money(0),
  overrun: money(0),
  balance: money(0),
  durable,
})

test('a call counts as in progress until its settlement is on disk, or known never to be', async () => {
  const { house, traffic } = createHouseDouble()
  const works = [1, 2, 3].map(() => beginWork(house, asking().arrival))
  const [written, unwritten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  works[0]?.over(settledWith(written.promise))
  works[1]?.over(settledWith(unwritten.promise))
  works[2]?.over(null)
  await settleMicrotasks()
  expect(works.map(({ call }) => traffic.isAlive(call.requestId))).toEqual([true, true, false])
  written.resolve()
  unwritten.reject(new Error('disk'))
  await settleMicrotasks()
  expect([traffic.inFlight, traffic.settled]).toEqual([0, 1])
})
