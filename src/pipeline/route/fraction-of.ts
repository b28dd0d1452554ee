const TWO_32 = 2 ** 32

/** A number in (0, 1] that a text stands for: FNV-1a, and the last mix of MurmurHash3, which spreads what differs in its end alone. */
export function fractionOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 1) / TWO_32
}
