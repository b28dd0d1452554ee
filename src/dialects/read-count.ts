import type { JsonReader } from '../lib/index.ts'

/** Reads a figure of `usage`. Null for one that is no count: of another kind, negative, broken, or beyond a thousand million. */
export function readCount(reader: JsonReader): number | null {
  const isNumber = reader.peek() === 'number'
  reader.skip()
  if (!isNumber) return null
  const value = reader.number()
  return Number.isInteger(value) && value >= 0 && value <= COUNT_MAX ? value : null
}

const COUNT_MAX = 1_000_000_000
