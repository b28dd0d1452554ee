import { assert } from './assert.ts'

/** A copy of `bytes` with the splices made, in any order given, and every other byte as it was. Splices must not overlap. */
export function jsonSplice(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const ordered = splices.length < 2 ? splices : [...splices].sort((one, other) => one.start - other.start)
  let size = bytes.length
  for (const splice of ordered) size += splice.bytes.length - (splice.end - splice.start)
  const source = asBuffer(bytes)
  const target = Buffer.allocUnsafe(size)
  let from = 0
  let to = 0
  for (const splice of ordered) {
    assert(splice.start >= from && splice.end >= splice.start && splice.end <= bytes.length, 'splices overlap')
    to += source.copy(target, to, from, splice.start)
    target.set(splice.bytes, to)
    to += splice.bytes.length
    from = splice.end
  }
  source.copy(target, to, from, bytes.length)
  return target
}

/** New bytes for `[start, end)` of a document; `start === end` inserts. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly bytes: Uint8Array
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
