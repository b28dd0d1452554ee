import { Type } from '@sinclair/typebox'
import { fields } from '../document/fields.ts'

const share = (description: string) => fields.orNull(Type.Number(), description)

const percentiles = (description: string) =>
  fields.orNull(
    Type.Object(
      { p50: Type.Number(), p75: Type.Number(), p90: Type.Number(), p95: Type.Number(), p99: Type.Number() },
      { title: 'Percentiles' },
    ),
    description,
  )

/** What was observed of attempts lately. */
export const observedSchema = Type.Object(
  {
    first_content_ms: percentiles(
      'Of streams over 30 minutes, from the beginning of the attempt. `p90`: nine of ten took at most so long.',
    ),
    tokens_per_second: percentiles('Of answers over 30 minutes. `p90`: nine of ten were at least so fast.'),
    success_rate: Type.Object(
      {
        last_5m: share('0 to 1; null: no attempt ended.'),
        last_30m: share('The same over half an hour.'),
        last_1d: share('The same over a day.'),
      },
      { description: "Of attempts. What is the caller's fault does not count." },
    ),
    samples: Type.Integer({ description: 'Attempts over 30 minutes.' }),
  },
  { title: 'Observed' },
)

export const OBSERVED_EXAMPLE = {
  first_content_ms: { p50: 208, p75: 247, p90: 320, p95: 415, p99: 640 },
  tokens_per_second: { p50: 61.5, p75: 56.4, p90: 47.4, p95: 39.9, p99: 22.7 },
  success_rate: { last_5m: 1, last_30m: 0.998, last_1d: 0.997 },
  samples: 512,
}
