import { expect, test } from 'bun:test'
import { pruneRecords } from '../../../src/jobs/prune-records.ts'
import { createExpiryClock } from '../../../src/lib/index.ts'
import type { RecordBounds } from '../../../src/store/index.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { breathe } from '../../support/wire.ts'

const DAY_MS = 86_400_000
const SETTINGS = { keepDays: 2, contentKeepDays: 1, bytesMax: 1000 }

test('prunes at the start and every ten minutes, step by step with pauses, until it is stopped', async () => {
  const clock = fakeClock()
  const asked: RecordBounds[] = []
  let steps = 2
  const writer = {
    async pruneRecords(bounds: RecordBounds) {
      asked.push(bounds)
      steps--
      return steps > 0
    },
  }
  const expiries = createExpiryClock(clock, () => {})
  const stop = pruneRecords({ clock, expiries, writer, log: { warn: () => {} }, settings: () => SETTINGS })
  await breathe()
  const nowMs = clock.wallMs()
  expect(asked).toEqual([{ beforeMs: nowMs - 2 * DAY_MS, contentBeforeMs: nowMs - DAY_MS, bytesMax: 1000 }])
  clock.advance(50)
  await breathe()
  expect(asked.length).toBe(2)
  steps = 1
  clock.advance(600_000)
  await breathe()
  expect(asked.length).toBe(3)
  steps = 1
  clock.advance(599_949)
  clock.stepWall(400 * DAY_MS)
  clock.advance(1)
  await breathe()
  expect(asked.at(-1)?.beforeMs).toBe(nowMs + 1_200_000 - 2 * DAY_MS) // a clock that was just set wrong ends nothing
  stop()
  clock.advance(600_000)
  await breathe()
  expect(asked.length).toBe(4)
})

test('records that cannot be pruned are told, and tried again', async () => {
  const clock = fakeClock()
  const told: unknown[] = []
  let fails = true
  const writer = {
    pruneRecords: () => (fails ? Promise.reject(new Error('no disk')) : Promise.resolve(false)),
  }
  const log = { warn: (event: string, fields?: object) => told.push([event, fields]) }
  const stop = pruneRecords({ clock, expiries: { nowMs: clock.wallMs }, writer, log, settings: () => SETTINGS })
  await breathe()
  expect(told).toEqual([['records_not_pruned', { message: 'no disk' }]])
  fails = false
  clock.advance(600_000)
  expect(told.length).toBe(1)
  stop()
})
