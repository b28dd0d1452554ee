/**
 * A short text as a JSON string's bytes. Those of the first thousand texts are kept: names of models, which are few and asked for with every
 * request. They are not to be changed.
 */
export function jsonBytes(text: string): Uint8Array {
  const known = kept.get(text)
  if (known !== undefined) return known
  const bytes = Buffer.from(JSON.stringify(text))
  if (kept.size < KEPT_MAX && text.length <= KEPT_CHARS_MAX) kept.set(text, bytes)
  return bytes
}

const KEPT_MAX = 1000
const KEPT_CHARS_MAX = 200
const kept = new Map<string, Uint8Array>()
