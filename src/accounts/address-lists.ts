import { type AddressRange, isInRanges, parseAddressRange } from '../lib/index.ts'

/** Whether an address lies in a key's list of ranges. The address null, which is not known, lies in none. */
export type AllowsAddress = (ranges: readonly string[], address: string | null) => boolean

/** Makes the check. A list is read once for as long as its key is in memory. What is no range, and never was written, matches nothing. */
export function createAddressLists(): AllowsAddress {
  const read = new WeakMap<readonly string[], readonly AddressRange[]>()

  function rangesOf(texts: readonly string[]): readonly AddressRange[] {
    const known = read.get(texts)
    if (known !== undefined) return known
    const ranges = texts.map(parseAddressRange).filter((range) => range !== null)
    read.set(texts, ranges)
    return ranges
  }

  return (texts, address) => address !== null && isInRanges(address, rangesOf(texts))
}
