import { offersOf } from '../catalogue/index.ts'
import type { ObservedOffer } from '../health/index.ts'
import type { House } from '../pipeline/index.ts'
import type { Family, PlainFamily } from '../telemetry/index.ts'

type Series = PlainFamily['series']

const MS_PER_S = 1000

/** What was observed of the attempts at each backend lately. */
export function observedGauges({ catalogue, health }: Pick<House, 'catalogue' | 'health'>): readonly Family[] {
  const now = catalogue()
  const seen = [...now.backends.keys()].flatMap((backend) => {
    const observed = health.observedOf(offersOf(now, backend).map(({ id }) => id))
    return observed === null ? [] : [{ backend, observed }]
  })
  const each = (
    read: (observed: ObservedOffer) => readonly (readonly [labels: object, value: number | null])[],
  ): Series =>
    seen.flatMap(({ backend, observed }) =>
      read(observed).flatMap(([labels, value]) => (value === null ? [] : [{ labels: { backend, ...labels }, value }])),
    )
  return [
    {
      type: 'gauge',
      name: 'anyrouter_observed_first_content_seconds',
      help: 'From the beginning of an attempt to the first content of its stream, over 30 minutes.',
      series: each(({ firstContentMs }) =>
        firstContentMs === null
          ? []
          : [
              [{ quantile: '0.5' }, firstContentMs.p50 / MS_PER_S],
              [{ quantile: '0.95' }, firstContentMs.p95 / MS_PER_S],
            ],
      ),
    },
    {
      type: 'gauge',
      name: 'anyrouter_observed_tokens_per_second',
      help: 'The median speed of answers, over 30 minutes.',
      series: each(({ tokensPerSecond }) => [[{}, tokensPerSecond]]),
    },
    {
      type: 'gauge',
      name: 'anyrouter_observed_success_ratio',
      help: 'The share of attempts that succeeded, over 5 minutes, 30 minutes and a day.',
      series: each(({ uptime }) => [
        [{ window: '5m' }, uptime.last5m],
        [{ window: '30m' }, uptime.last30m],
        [{ window: '1d' }, uptime.last1d],
      ]),
    },
  ]
}
