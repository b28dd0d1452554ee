import { assert } from './assert.ts'

/** The bytes with the splices made, in any order given, and every other byte as it was; what is given is not changed. Splices must not overlap. */
export function jsonSplice(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const [only] = splices
  if (splices.length === 1 && only !== undefined && changesNothing(bytes, only)) return bytes
  const ordered = splices.length < 2 ? splices : [...splices].sort((one, other) => one.start - other.start)
  let size = bytes.length
  for (const splice of ordered) size += splice.bytes.length - (splice.end - splice.start)
  const target = Buffer.allocUnsafe(size)
  let from = 0
  let to = 0
  for (const splice of ordered) {
    assert(splice.start >= from && splice.end >= splice.start && splice.end <= bytes.length, 'splices overlap')
    target.set(bytes.subarray(from, splice.start), to)
    to += splice.start - from
    target.set(splice.bytes, to)
    to += splice.bytes.length
    from = splice.end
  }
  target.set(bytes.subarray(from), to)
  return target
}

/** New bytes for `[start, end)` of a document; `start === end` inserts. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly bytes: Uint8Array
}

/** A name that is replaced by itself, as it is where caller, gateway and provider call a model the same. */
function changesNothing(bytes: Uint8Array, { start, end, bytes: wanted }: Splice): boolean {
  if (end - start !== wanted.length || end > bytes.length) return false
  for (let at = 0; at < wanted.length; at++) if (bytes[start + at] !== wanted[at]) return false
  return true
}
