import type { Splice } from '../lib/index.ts'
import type { Span } from './dialect.ts'

/** A field's new value where the old one stands; with its name at the start of its object where there is none. */
export function fieldSplice(name: string, span: Span | null, json: string, insertAt: number): Splice {
  if (span !== null) return { ...span, bytes: Buffer.from(json) }
  return { start: insertAt, end: insertAt, bytes: Buffer.from(`"${name}":${json},`) }
}

/** The value that stands there, which was found to be JSON; null where there is none. */
export const jsonAt = (bytes: Uint8Array, span: Span | null): unknown =>
  span === null ? null : JSON.parse(Buffer.from(bytes.subarray(span.start, span.end)).toString())
