/** Counts by bucket, and how many they are in all. */
export interface Histogram {
  readonly total: number
  /** For each share, in ascending order: the middle of the bucket of the value that so many of all lie at or below. */
  quantiles(shares: readonly number[]): number[]
}

/** How many values of each of the last slices of time fell into which bucket: a value costs a few additions and no memory. */
export class LogHistogram implements Histogram {
  readonly #slices: Uint16Array
  readonly #sums = new Uint32Array(BUCKETS)
  #total = 0

  constructor(slices: number) {
    this.#slices = new Uint16Array(slices * BUCKETS)
  }

  get total(): number {
    return this.#total
  }

  add(place: number, value: number): void {
    this.#put(place, bucketOf(value), 1)
  }

  /** Its time is over: another slice takes its place. */
  clear(place: number): void {
    const from = place * BUCKETS
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const count = this.#slices[from + bucket] ?? 0
      if (count === 0) continue
      this.#sums[bucket] = (this.#sums[bucket] ?? 0) - count
      this.#total -= count
      this.#slices[from + bucket] = 0
    }
  }

  quantiles(shares: readonly number[]): number[] {
    return quantilesOf(this.#sums, this.#total, shares)
  }

  /** As it is now, with all that is in the others. */
  with(others: readonly LogHistogram[]): Histogram {
    if (others.length === 0) return this
    const sums = Uint32Array.from(this.#sums, (count, bucket) =>
      others.reduce((sum, other) => sum + (other.#sums[bucket] ?? 0), count),
    )
    const total = others.reduce((sum, other) => sum + other.#total, this.#total)
    return { total, quantiles: (shares) => quantilesOf(sums, total, shares) }
  }

  /** One slice as `bucket:count`, parted by spaces; empty buckets are left out. */
  textOf(place: number): string {
    const parts: string[] = []
    const from = place * BUCKETS
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const count = this.#slices[from + bucket] ?? 0
      if (count > 0) parts.push(`${bucket}:${count}`)
    }
    return parts.join(' ')
  }

  /** Adds what `textOf` wrote; what is no such part is left out. */
  putText(place: number, text: string): void {
    for (const part of text.split(' ')) {
      const match = PART.exec(part)
      const bucket = Number(match?.[1])
      if (match !== null && bucket < BUCKETS) this.#put(place, bucket, Number(match[2]))
    }
  }

  /** Beyond 65,535 of one slice in one bucket nothing more is counted. */
  #put(place: number, bucket: number, count: number): void {
    const at = place * BUCKETS + bucket
    const before = this.#slices[at] ?? 0
    const added = Math.min(count, MOST - before)
    this.#slices[at] = before + added
    this.#sums[bucket] = (this.#sums[bucket] ?? 0) + added
    this.#total += added
  }
}

/** Buckets of a logarithmic scale: eight to each doubling, from 1 to 2^17; what lies outside falls into the first or the last. */
const BUCKETS = 136

const PER_DOUBLING = 8
const MOST = 65_535 // of a slice in one bucket

const PART = /^(\d{1,3}):(\d{1,5})$/

function quantilesOf(sums: Uint32Array, total: number, shares: readonly number[]): number[] {
  let bucket = 0
  let seen = sums[0] ?? 0
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(total * share))
    while (seen < rank && bucket < BUCKETS - 1) seen += sums[++bucket] ?? 0
    return middleOf(bucket)
  })
}

/** Which bucket a value falls into. */
function bucketOf(value: number): number {
  if (!(value > 1)) return 0
  const bucket = Math.floor(Math.log2(value) * PER_DOUBLING)
  return bucket < BUCKETS ? bucket : BUCKETS - 1
}

const MIDDLES = Float64Array.from({ length: BUCKETS }, (_, bucket) =>
  Number((2 ** ((bucket + 0.5) / PER_DOUBLING)).toPrecision(3)),
)

/** The middle of a bucket, in three digits: no value in it is further away than 5 %. */
const middleOf = (bucket: number): number => MIDDLES[bucket] ?? 0
