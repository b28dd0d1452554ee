import { expect, test } from 'bun:test'
import { type FoundCauses, NO_CAUSES } from '../../../src/domain/index.ts'
import { Rows } from '../../../src/health/rows.ts'
import { createSteadyClock } from '../../../src/lib/steady-clock.ts'
import { fakeClock } from '../../support/fake-clock.ts'

function rowsOf() {
  const clock = fakeClock()
  const written: FoundCauses[] = []
  const writer = { foundCauses: (causes: FoundCauses) => written.push(causes) }
  const rows = new Rows({ loaded: [], writer, steady: createSteadyClock(clock), cooldownMaxMs: 600_000 })
  return { clock, written, rows }
}

const failures = { sinceMs: 1000, untilMs: 2000, backoffMs: 1000, count: 5, streak: 5, lastStatus: null, evidence: 's' }
const operator = { by: 'local:7', reason: 'a flood', sinceMs: 1000, untilMs: null }

test('a change keeps the rest of the row, and goes to the disk without what an operator says', () => {
  const { rows, written } = rowsOf()
  rows.keep({ ...NO_CAUSES, backend: 'north', operator, version: 1 }, false)
  rows.put('north', { failures })
  expect(rows.of('north')).toEqual({ ...NO_CAUSES, backend: 'north', operator, failures, version: 1 })
  expect(written).toEqual([{ backend: 'north', failures, throttle: null, credentials: [] }])
})

test('an order that sets leaves what was found out, one that clears ends it, on disk once more', () => {
  const { rows, written } = rowsOf()
  rows.put('north', { failures })
  rows.keep({ ...NO_CAUSES, backend: 'north', operator, version: 2 }, false)
  expect(rows.of('north')).toMatchObject({ failures, operator })
  rows.keep({ ...NO_CAUSES, backend: 'north', version: 3 }, true)
  expect(rows.of('north')).toEqual({ ...NO_CAUSES, backend: 'north', version: 3 })
  expect(written.at(-1)).toEqual({ backend: 'north', failures: null, throttle: null, credentials: [] })
  rows.keep({ ...NO_CAUSES, backend: 'north', operator, version: 2 }, false) // told of late
  expect(rows.of('north').operator).toBeNull()
})

test('times are steady in memory, and of the wall outside', () => {
  const { rows, written, clock } = rowsOf()
  clock.stepWall(500)
  rows.put('north', { failures })
  expect(rows.of('north').failures).toEqual(failures)
  expect(written[0]?.failures).toEqual({ ...failures, sinceMs: 1500, untilMs: 2500 })
  expect(rows.inWallTime(rows.of('north')).failures?.untilMs).toBe(2500)
  rows.keep({ ...NO_CAUSES, backend: 'south', operator: { ...operator, untilMs: 9000 }, version: 1 }, false)
  expect(rows.of('south').operator).toMatchObject({ sinceMs: 500, untilMs: 8500 })
})
