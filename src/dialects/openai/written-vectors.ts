import type { Span, VectorFormat } from '../dialect.ts'
import type { VectorRow } from './read-document-fields.ts'

/**
 * The rows of a list of vectors in the order of their index, each in the form that was asked for: providers ignore `encoding_format`, and clients
 * go by the order of rows and by the form they asked for (WIRE.md, 6). Null when all is so already. A vector of numbers becomes base64 of
 * 32-bit floats, and base64 the numbers that those are, exactly.
 */
export function writtenVectors(
  bytes: Uint8Array,
  rows: readonly VectorRow[],
  format: VectorFormat | undefined,
): Uint8Array | null {
  const isInOrder = rows.every(({ index }, at) => index === null || index >= (rows[at - 1]?.index ?? index))
  const other = format === undefined ? undefined : FIRST_BYTES[format === 'float' ? 'base64' : 'float']
  const needsForm = rows.some(({ vector }) => vector !== null && bytes[vector.start] === other)
  if (isInOrder && !needsForm) return null
  const ordered = isInOrder ? rows : [...rows].sort((one, next) => (one.index ?? 0) - (next.index ?? 0))
  const pieces: Uint8Array[] = []
  for (const row of ordered) {
    pieces.push(pieces.length === 0 ? OPEN : COMMA)
    const { vector } = row
    const written =
      vector === null || format === undefined || bytes[vector.start] !== other ? null : converted(bytes, vector, format)
    if (written === null || vector === null) pieces.push(bytes.subarray(row.start, row.end))
    else pieces.push(bytes.subarray(row.start, vector.start), written, bytes.subarray(vector.end, row.end))
  }
  pieces.push(CLOSE)
  return Buffer.concat(pieces)
}

/** By which byte a vector of each form begins. */
const FIRST_BYTES = { float: 0x5b, base64: 0x22 } as const
const OPEN = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from(']')
const FLOAT_BYTES = 4

/** Null for what is no such vector: it stays as it is. */
function converted(bytes: Uint8Array, { start, end }: Span, format: VectorFormat): Buffer | null {
  const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString())
  if (format === 'float') return typeof value === 'string' ? asNumbers(value) : null
  return Array.isArray(value) && value.every((one) => typeof one === 'number') ? asBase64(value) : null
}

function asNumbers(base64: string): Buffer | null {
  const packed = Buffer.from(base64, 'base64')
  if (packed.length === 0 || packed.length % FLOAT_BYTES !== 0) return null
  const numbers = Array.from({ length: packed.length / FLOAT_BYTES }, (_, at) => packed.readFloatLE(at * FLOAT_BYTES))
  return numbers.every(Number.isFinite) ? Buffer.from(JSON.stringify(numbers)) : null
}

function asBase64(numbers: readonly number[]): Buffer {
  const packed = Buffer.allocUnsafe(numbers.length * FLOAT_BYTES)
  for (const [at, number] of numbers.entries()) packed.writeFloatLE(number, at * FLOAT_BYTES)
  return Buffer.from(`"${packed.toString('base64')}"`)
}
