import type { Splice } from '../lib/index.ts'
import type { Span } from './dialect.ts'

/** A field's new value where the old one stands; with its name at the start of its object where there is none. */
export function fieldSplice(name: string, span: Span | null, json: string, insertAt: number): Splice {
  if (span !== null) return { ...span, bytes: Buffer.from(json) }
  return { start: insertAt, end: insertAt, bytes: Buffer.from(`"${name}":${json},`) }
}

/** Whether nothing more stands in the object that is read up to here: then a field that is put in has no comma behind it. */
export function endsObject(bytes: Uint8Array, from: number): boolean {
  let at = from
  while ((bytes[at] ?? CLOSE_BRACE) <= SPACE) at++ // white space, for it is JSON
  return bytes[at] === CLOSE_BRACE
}

const SPACE = 0x20
const CLOSE_BRACE = 0x7d

/** The value that stands there, which was found to be JSON; null where there is none. */
export const jsonAt = (bytes: Uint8Array, span: Span | null): unknown =>
  span === null ? null : JSON.parse(Buffer.from(bytes.subarray(span.start, span.end)).toString())
