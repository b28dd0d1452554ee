import { describe, expect, test } from 'bun:test'
import type { Checkpoint } from '../../../../src/domain/index.ts'
import { createMeter } from '../../../../src/pipeline/relay/meter.ts'
import { fakeClock } from '../../../support/fake-clock.ts'

function metering() {
  const clock = fakeClock()
  const written: Checkpoint[] = []
  let deliveredUnits = 0
  const meter = createMeter(
    clock,
    () => ({ offer: 'north/m', deliveredUnits }),
    (checkpoint) => written.push(checkpoint),
  )
  const deliver = (units: number): void => {
    deliveredUnits += units
    meter.delivered()
  }
  return { clock, written, meter, deliver }
}

describe('the meter', () => {
  test('writes how far the stream is, 5 s after something came', () => {
    const { clock, written, deliver } = metering()
    deliver(3)
    clock.advance(4999)
    expect(written).toEqual([])
    deliver(4)
    clock.advance(1)
    expect(written).toEqual([{ offer: 'north/m', deliveredUnits: 7 }])
  })

  test('writes nothing while nothing comes', () => {
    const { clock, written, deliver } = metering()
    deliver(3)
    clock.advance(60_000)
    expect(written).toHaveLength(1)
    expect(clock.timers).toBe(0)
    deliver(1)
    clock.advance(5000)
    expect(written.at(-1)).toMatchObject({ deliveredUnits: 4 })
  })

  test('writes nothing once it is stopped', () => {
    const { clock, written, deliver, meter } = metering()
    deliver(3)
    meter.stop()
    clock.advance(5000)
    expect(written).toEqual([])
    meter.stop()
    expect(clock.timers).toBe(0)
  })
})
