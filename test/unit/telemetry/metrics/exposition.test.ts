import { expect, test } from 'bun:test'
import { exposition, type Family } from '../../../../src/telemetry/metrics/exposition.ts'
import { Histogram } from '../../../../src/telemetry/metrics/histogram.ts'
import { readExposition } from '../../../support/exposition.ts'

test('counters and gauges, with their help, type and labels', () => {
  const families: Family[] = [
    { name: 'a_total', help: 'What a is.', type: 'counter', series: [{ labels: { x: '1', y: 'b' }, value: 3 }] },
    { name: 'g', help: 'Of g.', type: 'gauge', series: [{ value: 0.5 }] },
    { name: 'nothing', help: 'No series yet.', type: 'gauge', series: [] },
  ]
  expect(exposition(families)).toBe(
    [
      '# HELP a_total What a is.',
      '# TYPE a_total counter',
      'a_total{x="1",y="b"} 3',
      '# HELP g Of g.',
      '# TYPE g gauge',
      'g 0.5',
      '# HELP nothing No series yet.',
      '# TYPE nothing gauge',
      '',
    ].join('\n'),
  )
})

test('a histogram is cumulative, in seconds; an observation on a bound is in its bucket', () => {
  const histogram = new Histogram([100, 1000, 2_000_000])
  for (const us of [0, 100, 101, 1000, 1_999_999, 2_000_001, 9_000_000]) histogram.observe(us)
  const text = exposition([
    { name: 'h_seconds', help: 'H.', type: 'histogram', series: [{ labels: { s: 'x' }, histogram }] },
  ])
  expect(text.split('\n').slice(2)).toEqual([
    'h_seconds_bucket{s="x",le="0.0001"} 2',
    'h_seconds_bucket{s="x",le="0.001"} 4',
    'h_seconds_bucket{s="x",le="2"} 5',
    'h_seconds_bucket{s="x",le="+Inf"} 7',
    'h_seconds_sum{s="x"} 13.001201',
    'h_seconds_count{s="x"} 7',
    '',
  ])
})

test('what would break a line is escaped', () => {
  const text = exposition([
    { name: 'a', help: 'one\ntwo \\', type: 'gauge', series: [{ labels: { x: 'quote " back \\ line\n' }, value: 1 }] },
  ])
  expect(text).toBe('# HELP a one\\ntwo \\\\\n# TYPE a gauge\na{x="quote \\" back \\\\ line\\n"} 1\n')
  expect(readExposition(text).values.size).toBe(1)
})
