import { type AddressRange, addressKind, canonicalAddress, innerAddress, isInRanges, isLoopback } from '../lib/index.ts'

export interface AddressPolicy {
  /** Private addresses that may be reached all the same. */
  readonly allowPrivate: readonly AddressRange[]
  /** Addresses of this machine's own interfaces, asked for every time: they come and go. */
  ownAddresses(): readonly string[]
}

/**
 * Why a customer's URL must not lead to an address; null when it may. Private ones may where the operator lists them; an address of
 * this machine only when it is listed by itself (`127.0.0.1/32`), for what listens there trusts who comes from here. Some may never.
 */
export function addressRefusal(ip: string, { allowPrivate, ownAddresses }: AddressPolicy): string | null {
  const kind = addressKind(ip)
  if (kind === null) return 'it is not written as an address'
  if (kind === 'never') return 'no request may go there'
  const forms = [ip, innerAddress(ip)].filter((form) => form !== null)
  const own = ownAddresses().map(canonicalAddress)
  for (const form of forms) {
    const isOwn = isLoopback(form) || own.includes(canonicalAddress(form))
    const isSingle = ({ bytes, prefixBits }: AddressRange): boolean => prefixBits === bytes.length * 8
    if (isOwn && !isInRanges(form, allowPrivate.filter(isSingle))) return 'it is an address of this machine'
    if (addressKind(form) === 'private' && !isInRanges(form, allowPrivate)) return 'it is not public'
  }
  return null
}
