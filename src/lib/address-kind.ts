import ipaddr from 'ipaddr.js'
import { canonicalAddress, isInRanges, parseAddressRange } from './address-range.ts'

/**
 * What an address is good for, to a stranger. `public`: anybody's; `private`: of a network of one's own, reserved or transitional;
 * `never`: no server of anybody's is there (multicast, unspecified, broadcast), or one that gives away the machine's credentials.
 */
export type AddressKind = 'public' | 'private' | 'never'

/**
 * Judges an IPv4 or IPv6 address; IPv4 written as `::ffff:…` counts as IPv4. IPv6 addresses that stand for an IPv4 one (NAT64, 6to4) are
 * `private`, or `never` when the one inside is. Null when the text is no address in plain decimal or IPv6 notation.
 * Source: the IANA special-purpose registries, as in ipaddr.js, and what the clouds say of their metadata services.
 */
export function addressKind(text: string): AddressKind | null {
  // Parsers differ on numbers such as 0x7f, and a zone means another thing on another machine.
  const plain = text.includes('%') || !isPlainDecimal(text) ? null : canonicalAddress(text)
  if (plain === null) return null
  if (isInRanges(plain, METADATA)) return 'never'
  if (isLoopback(plain)) return 'private'
  const range = ipaddr.parse(plain).range()
  if (NOBODYS.has(range)) return 'never'
  const inner = innerAddress(plain)
  if (inner !== null) return addressKind(inner) === 'never' ? 'never' : 'private'
  if (range !== 'unicast') return 'private'
  return plain.includes(':') && !isInRanges(plain, GLOBAL_UNICAST) ? 'private' : 'public'
}

/** Whether what has points, also at the end of an IPv6 address, is written in four decimal numbers. */
const isPlainDecimal = (text: string): boolean =>
  !text.includes('.') || ipaddr.IPv4.isValidFourPartDecimal(text.slice(text.lastIndexOf(':') + 1))

/** Whether it is an address of this machine on every machine. */
export const isLoopback = (text: string): boolean => isInRanges(text, LOOPBACK)

/**
 * The IPv4 address that an IPv6 one stands for: NAT64 (RFC 6052, 8215: the last 32 bits of 64:ff9b::/96 and 64:ff9b:1::/48), 6to4 (RFC 3056),
 * Teredo (RFC 4380: its bits are inverted), IPv4-compatible (RFC 4291) and IPv4-translated (RFC 2765). Null for any other.
 */
export function innerAddress(text: string): string | null {
  const plain = canonicalAddress(text)
  if (plain === null || !plain.includes(':') || isLoopback(plain)) return null
  const bytes = ipaddr.parse(plain).toByteArray()
  if (isInRanges(plain, SIX_TO_FOUR)) return bytes.slice(2, 6).join('.')
  if (isInRanges(plain, TEREDO))
    return bytes
      .slice(12)
      .map((byte) => byte ^ 0xff)
      .join('.')
  if (isInRanges(plain, LAST_32_BITS)) return bytes.slice(12).join('.')
  return null
}

const rangesOf = (...texts: string[]) => texts.flatMap((text) => parseAddressRange(text) ?? [])

const GLOBAL_UNICAST = rangesOf('2000::/3')
const LOOPBACK = rangesOf('127.0.0.0/8', '::1')
const SIX_TO_FOUR = rangesOf('2002::/16')
const TEREDO = rangesOf('2001::/32')
const LAST_32_BITS = rangesOf('64:ff9b::/96', '64:ff9b:1::/48', '::/96', '::ffff:0:0:0/96')
const NOBODYS: ReadonlySet<string> = new Set(['multicast', 'unspecified', 'broadcast', 'discard'])

/** AWS and most others, AWS on IPv6 and GCP on IPv6, Alibaba, Oracle, Azure's own host. */
const METADATA = rangesOf(
  '169.254.169.254',
  '169.254.170.2',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
)
