import ipaddr from 'ipaddr.js'

/** Addresses that begin with the same bits, e.g. `10.0.0.0/8`. */
export interface AddressRange {
  /** As it was written. */
  readonly text: string
  /** Of the first address: 4 (IPv4) or 16 (IPv6). */
  readonly bytes: readonly number[]
  readonly prefixBits: number
}

/** Reads a range in CIDR notation (RFC 4632, RFC 4291), or one address. Null for anything else; a zone (`%eth0`) is none either. */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', prefix, ...rest] = text.split('/')
  const bytes = address.includes('%') ? null : bytesOf(address)
  if (bytes === null || rest.length > 0) return null
  const bitsMax = bytes.length * BITS_PER_BYTE
  if (prefix === undefined) return { text, bytes, prefixBits: bitsMax }
  const prefixBits = Number(prefix)
  return /^\d{1,3}$/.test(prefix) && prefixBits <= bitsMax ? { text, bytes, prefixBits } : null
}

/** Whether an address (`10.1.2.3`, `2001:db8::1`, an IPv4 one written as `::ffff:10.1.2.3`) lies in one of these ranges. */
export function isInRanges(address: string, ranges: readonly AddressRange[]): boolean {
  const bytes = bytesOf(address)
  return bytes !== null && ranges.some((range) => contains(range, bytes))
}

/** An address in its one shortest form, IPv4 also when it was written as `::ffff:…`; null when the text is no address. */
export function canonicalAddress(text: string): string | null {
  const address = parse(text)
  return address === null ? null : address.toString()
}

const BITS_PER_BYTE = 8

function contains({ bytes, prefixBits }: AddressRange, address: readonly number[]): boolean {
  if (address.length !== bytes.length) return false
  const wholeBytes = Math.floor(prefixBits / BITS_PER_BYTE)
  for (let at = 0; at < wholeBytes; at++) if (address[at] !== bytes[at]) return false
  const shift = BITS_PER_BYTE - (prefixBits % BITS_PER_BYTE)
  return (address[wholeBytes] ?? 0) >> shift === (bytes[wholeBytes] ?? 0) >> shift
}

const bytesOf = (text: string): readonly number[] | null => parse(text)?.toByteArray() ?? null

/** Numbers that are no plain decimals ("0x7f.1", "010.0.0.1") mean different things to different programs: they are no addresses here. */
function parse(text: string): ReturnType<typeof ipaddr.process> | null {
  const isAddress = text.includes(':') ? ipaddr.IPv6.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text)
  return isAddress ? ipaddr.process(text) : null
}
