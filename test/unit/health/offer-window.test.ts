import { expect, test } from 'bun:test'
import { OfferWindow } from '../../../src/health/offer-window.ts'

const NOW_MS = 1_800_000_000_000
const MINUTE_MS = 60_000

test('of an offer that was never tried nothing is known', () => {
  expect(new OfferWindow().read(NOW_MS)).toBeNull()
})

test('shares of success are of the last minutes, half hour and day', () => {
  const window = new OfferWindow()
  window.ended(NOW_MS, true)
  expect(window.read(NOW_MS)?.uptime).toEqual({ last5m: 0, last30m: 0, last1d: 0 })
  window.ended(NOW_MS + 6 * MINUTE_MS, false)
  expect(window.read(NOW_MS + 6 * MINUTE_MS)).toMatchObject({
    samples: 2,
    successRate: 0.5,
    uptime: { last5m: 1, last30m: 0.5, last1d: 0.5 },
  })
  expect(window.read(NOW_MS + 40 * MINUTE_MS)).toMatchObject({
    samples: 0,
    successRate: null,
    uptime: { last5m: null, last30m: null, last1d: 0.5 },
  })
  expect(window.read(NOW_MS + 2 * 86_400_000)).toBeNull()
})

test('the slowest of ten stands above p90 of times, and below p90 of speeds', () => {
  const window = new OfferWindow()
  for (let at = 1; at <= 10; at++) {
    window.firstContent(NOW_MS, at === 10 ? 5000 : 200)
    window.throughput(NOW_MS, at === 10 ? 3 : 60)
  }
  const read = window.read(NOW_MS)
  expect(read?.firstContentP50Ms).toBeWithin(190, 210)
  expect(read?.firstContentMs).toMatchObject({ p75: read?.firstContentP50Ms, p90: read?.firstContentP50Ms })
  expect(read?.firstContentP95Ms).toBeWithin(4750, 5250)
  expect(read?.tokensPerSecond).toBeWithin(57, 63)
  expect(read?.throughput?.p75).toBeWithin(57, 63)
  expect(read?.throughput?.p99).toBeWithin(2.85, 3.15)
})

test('times and speeds are forgotten after half an hour', () => {
  const window = new OfferWindow()
  window.firstContent(NOW_MS, 100)
  window.throughput(NOW_MS, 10)
  const later = NOW_MS + 29 * MINUTE_MS
  expect(window.read(later)?.firstContentP50Ms).toBeNumber()
  expect(window.read(later + 2 * MINUTE_MS)).toBeNull()
})

test('several offers are read as one', () => {
  const [one, other] = [new OfferWindow(), new OfferWindow()]
  one.ended(NOW_MS, false)
  other.ended(NOW_MS, true)
  other.firstContent(NOW_MS, 100)
  expect(one.read(NOW_MS, [other])).toMatchObject({ samples: 2, successRate: 0.5 })
  expect(one.read(NOW_MS, [other])?.firstContentP50Ms).toBeWithin(95, 105)
})

test('what was taken to be kept makes the same windows again, without what is too old', () => {
  const window = new OfferWindow()
  for (let at = 0; at < 100; at++) {
    const nowMs = NOW_MS + at * 30_000
    window.ended(nowMs, at % 4 === 0)
    window.firstContent(nowMs, 10 * at)
    window.throughput(nowMs, at)
  }
  const endMs = NOW_MS + 99 * 30_000
  const slices = window.takeChanged('north/m')
  expect(window.takeChanged('north/m')).toEqual([])
  const back = new OfferWindow()
  for (const slice of slices) back.restore(slice, endMs)
  expect(back.read(endMs)).toEqual(window.read(endMs))
  expect(back.takeChanged('north/m')).toEqual([])
  const late = new OfferWindow()
  const lateMs = endMs + 20 * MINUTE_MS
  for (const slice of slices) late.restore(slice, lateMs)
  expect(late.read(lateMs)).toEqual(window.read(lateMs))
})

test('slices of the future, of another length or begun at an odd time are left out', () => {
  const counts = { offer: 'north/m', expiresAtMs: 0, ended: 1, failed: 0, firstContent: '8:1', throughput: '' }
  const window = new OfferWindow()
  const minute = NOW_MS - (NOW_MS % MINUTE_MS)
  window.restore({ ...counts, lengthMs: MINUTE_MS, startsAtMs: minute + MINUTE_MS }, NOW_MS)
  window.restore({ ...counts, lengthMs: MINUTE_MS, startsAtMs: minute - 1 }, NOW_MS)
  window.restore({ ...counts, lengthMs: 1000, startsAtMs: minute }, NOW_MS)
  expect(window.read(NOW_MS)).toBeNull()
})

test('only what changed is taken', () => {
  const window = new OfferWindow()
  window.ended(NOW_MS, false)
  expect(window.takeChanged('a')).toHaveLength(2)
  window.firstContent(NOW_MS + MINUTE_MS, 5)
  expect(window.takeChanged('a')).toMatchObject([{ offer: 'a', lengthMs: MINUTE_MS, ended: 0 }])
})
