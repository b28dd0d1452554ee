import { describe, expect, test } from 'bun:test'
import type { Checkpoint } from '../../../../src/domain/index.ts'
import { createMeter } from '../../../../src/pipeline/relay/meter.ts'
import { fakeClock } from '../../../support/fake-clock.ts'

function metering({ untilBytes = Number.POSITIVE_INFINITY, steps = 9 } = {}) {
  const clock = fakeClock()
  const written: Checkpoint[] = []
  let deliveredUnits = 0
  const credit = {
    untilBytes,
    extend: (textBytes: number) => {
      if (steps === 0) return false
      steps--
      credit.untilBytes = textBytes + 10
      return true
    },
  }
  const meter = createMeter(clock, {
    reply: {
      get textBytes() {
        return deliveredUnits
      },
    },
    credit,
    reached: () => ({ offer: 'north/m', deliveredUnits }),
    write: (checkpoint) => written.push(checkpoint),
  })
  const deliver = (units: number): boolean => {
    deliveredUnits += units
    return meter.delivered()
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

  test('takes a step where what is held comes to its end, writes it at once, and says when none is to be had', () => {
    const { written, deliver } = metering({ untilBytes: 8, steps: 1 })
    expect(deliver(7)).toBe(true)
    expect(written).toEqual([])
    expect(deliver(1)).toBe(true)
    expect(written).toEqual([{ offer: 'north/m', deliveredUnits: 8 }])
    expect(deliver(9)).toBe(true)
    expect(deliver(1)).toBe(false)
  })
})
