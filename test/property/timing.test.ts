import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatServerTiming, type GwStage, StageClock } from '../../src/pipeline/timing.ts'
import { timingOf } from '../support/exchange-timing.ts'
import { fakeClock } from '../support/fake-clock.ts'

const RUNS = Number(process.env.ANYROUTER_RUNS ?? 100)
const STAGES: readonly GwStage[] = ['recv', 'auth', 'ctx', 'prep', 'route', 'hold', 'wait']

const us = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2_000_000 }))
const scenario = fc.record({
  stages: fc.array(us, { minLength: 1, maxLength: STAGES.length }),
  attempts: fc.array(fc.record({ us, gapUs: us }), { maxLength: 4 }),
  postUs: us,
  diskUs: us,
})

/** A printed duration in hundredths of a millisecond: integers, so that sums are compared exactly. */
function printed(header: string): Map<string, number> {
  return new Map(
    header.split(', ').map((entry): [string, number] => {
      const [name = '', duration = ''] = entry.split(';')
      expect(duration).toMatch(/^dur=\d+\.\d\d$/)
      return [name, Number(duration.replace('dur=', '').replace('.', ''))]
    }),
  )
}

test('the printed parts sum exactly, for any times and any number of attempts', () => {
  fc.assert(
    fc.property(scenario, ({ stages, attempts, postUs, diskUs }) => {
      const clock = fakeClock()
      const stageClock = new StageClock(clock)
      for (const [at, stageUs] of stages.entries()) {
        const stage = STAGES[at]
        if (stage !== undefined && at > 0) stageClock.enter(stage)
        clock.advanceUs(stageUs)
      }
      for (const attempt of attempts) {
        stageClock.attemptBegins()
        clock.advanceUs(attempt.us)
        stageClock.attemptEnds('b', timingOf('kept'))
        clock.advanceUs(attempt.gapUs)
      }
      stageClock.post(true)
      clock.advanceUs(diskUs)
      stageClock.post()
      clock.advanceUs(postUs)
      const timing = stageClock.read()
      expect(timing.gwUs + timing.upstreamUs + timing.postUs).toBe(timing.totalUs)
      expect(timing.totalUs).toBe(timing.endedUs)
      expect(timing.stages.reduce((sum, [, stageUs]) => sum + stageUs, 0)).toBe(timing.gwUs)

      const shown = printed(formatServerTiming(timing))
      const sum = (pattern: RegExp) =>
        [...shown].filter(([name]) => pattern.test(name)).reduce((total, [, units]) => total + units, 0)
      const get = (name: string) => shown.get(name) ?? 0
      expect(get('gw') + get('upstream') + get('post')).toBe(get('total'))
      expect(sum(/^gw-/)).toBe(get('gw'))
      expect(sum(/^upstream-/)).toBe(get('upstream'))
      expect(get('post-hold')).toBeLessThanOrEqual(get('post'))
      expect(Math.abs(get('total') * 10 - timing.totalUs)).toBeLessThanOrEqual(5)
      expect(shown.has('upstream')).toBe(attempts.length > 0)
    }),
    { numRuns: RUNS },
  )
})
