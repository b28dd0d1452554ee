/** Where chance comes from, as an argument: tests choose the seed. */
export interface Random {
  /** `size` random bytes. */
  bytes(size: number): Uint8Array
  /** A number in [0, 1). */
  fraction(): number
}

/** A UUIDv7 (RFC 9562) without dashes, 32 hex digits: ids sort by the time of their making. */
export function timeOrderedId(wallMs: number, random: Random): string {
  const bytes = random.bytes(10)
  bytes[0] = 0x70 | ((bytes[0] ?? 0) & 0x0f)
  bytes[2] = 0x80 | ((bytes[2] ?? 0) & 0x3f)
  return wallMs.toString(16).padStart(12, '0') + Buffer.from(bytes).toString('hex')
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE62_FAIR_LIMIT = 248 // the largest multiple of 62 that fits a byte: bytes from here on would favour some letters

/** `length` characters of base62, each letter equally likely (43 carry 256 bits). */
export function base62(length: number, random: Random): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < BASE62_FAIR_LIMIT && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

/** The machine's own source of chance. */
export function systemRandom(): Random {
  return {
    bytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    fraction: () => Math.random(),
  }
}
