import type { Splice } from './json-splice.ts'

/**
 * The splices that take fields out of an object, each with one comma, so that what is left is an object still and every other byte stays.
 * `fields` are of one object, in the order in which they stand: each from its name's quote to the end of its value.
 */
export function jsonCut(
  bytes: Uint8Array,
  fields: readonly { readonly start: number; readonly end: number }[],
): Splice[] {
  const cuts: { start: number; end: number }[] = []
  for (const field of fields) {
    const behind = overSpace(bytes, field.end)
    const end = bytes[behind] === COMMA ? behind + 1 : field.end
    const last = cuts.at(-1)
    if (last !== undefined && overSpace(bytes, last.end) === field.start) last.end = end
    else cuts.push({ start: field.start, end })
  }
  const last = cuts.at(-1)
  if (last !== undefined && bytes[last.end - 1] !== COMMA) last.start = commaBefore(bytes, last.start)
  return cuts.map((cut) => ({ ...cut, bytes: NOTHING }))
}

const COMMA = 0x2c
const SPACE = 0x20
const NOTHING = new Uint8Array(0)

function overSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && (bytes[at] as number) <= SPACE) at++
  return at
}

/** Where the comma before the last field stands; `at` itself when the field is the first as well. */
function commaBefore(bytes: Uint8Array, at: number): number {
  let before = at - 1
  while (before >= 0 && (bytes[before] as number) <= SPACE) before--
  return bytes[before] === COMMA ? before : at
}
