import { expect, test } from 'bun:test'
import type { Percentiles } from '../../../../../src/domain/index.ts'
import { preferredSpeed } from '../../../../../src/pipeline/route/rules/preferred-speed.ts'
import { offerAt, PLAIN, rankedBy, seenWorld, wishing } from '../wish-kit.ts'

const all = [offerAt({ id: 'slow' }), offerAt({ id: 'fast' }), offerAt({ id: 'unseen' }), offerAt({ id: 'poor' })]
const at = (p50: number, p99 = p50) => ({ p50, p75: p50, p90: p50, p95: p50, p99 })
const world = seenWorld({
  slow: { firstContentMs: at(900), throughput: at(80) },
  fast: { firstContentMs: at(100, 700), throughput: at(50, 5) },
  poor: { firstContentMs: at(900), throughput: at(10) },
})
const bounds = (given: Partial<Percentiles>): Percentiles => ({ p50: null, p75: null, p90: null, p99: null, ...given })

test('what misses a bound comes later, what misses both last; what is not known misses none', () => {
  const wish = wishing({ maxLatencyMs: bounds({ p50: 500 }), minThroughput: bounds({ p50: 20 }) })
  expect(rankedBy(preferredSpeed, all, wish, world)).toEqual(['fast', 'unseen', 'slow', 'poor'])
})

test('each percentile has a bound of its own', () => {
  const wish = wishing({ maxLatencyMs: bounds({ p50: 1000, p99: 800 }) })
  expect(rankedBy(preferredSpeed, all, wish, world)).toEqual(['fast', 'unseen', 'slow', 'poor'])
  const strict = wishing({ minThroughput: bounds({ p99: 6 }) })
  expect(rankedBy(preferredSpeed, all, strict, world)).toEqual(['slow', 'unseen', 'poor', 'fast'])
})

test('what is just as asked for misses nothing; one miss is as good as another', () => {
  const just = wishing({ maxLatencyMs: bounds({ p50: 900 }), minThroughput: bounds({ p50: 80 }) })
  expect(rankedBy(preferredSpeed, all, just, world)).toEqual(['slow', 'unseen', 'fast', 'poor'])
  const [slow, thin] = [offerAt({ id: 'slow' }), offerAt({ id: 'fast' })]
  const wish = wishing({ maxLatencyMs: bounds({ p50: 500 }), minThroughput: bounds({ p50: 60 }) })
  expect(rankedBy(preferredSpeed, [slow, thin], wish, world)).toEqual(['slow', 'fast'])
  expect(rankedBy(preferredSpeed, [thin, slow], wish, world)).toEqual(['fast', 'slow'])
})

test('does not apply to who asks for no speed', () => {
  expect(rankedBy(preferredSpeed, all, wishing({ order: ['slow'] }), world)).toBeNull()
  expect(rankedBy(preferredSpeed, all, PLAIN, world)).toBeNull()
})
