/** Buckets of a logarithmic scale: eight to each doubling, from 1 to 2^17; what lies outside falls into the first or the last. */
export const BUCKETS = 136

const PER_DOUBLING = 8

/** Which bucket a value falls into. */
export function bucketOf(value: number): number {
  if (!(value > 1)) return 0
  const bucket = Math.floor(Math.log2(value) * PER_DOUBLING)
  return bucket < BUCKETS ? bucket : BUCKETS - 1
}

const MIDDLES = Float64Array.from({ length: BUCKETS }, (_, bucket) =>
  Number((2 ** ((bucket + 0.5) / PER_DOUBLING)).toPrecision(3)),
)

/** The middle of a bucket, in three digits: no value in it is further away than 5 %. */
export const middleOf = (bucket: number): number => MIDDLES[bucket] ?? 0
