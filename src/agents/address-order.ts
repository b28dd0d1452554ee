import { isIPv6 } from 'node:net'

/** More than these are not tried: each may hold a file descriptor for minutes. */
const ADDRESSES_MAX = 4

/**
 * In which order the addresses of a name are tried (RFC 8305, 4): IPv6 and IPv4 in turn, so that one broken family costs one step; those
 * in `demoted` last, for they were slow or refused lately. At most four.
 */
export function addressOrder(ips: readonly string[], isDemoted: (ip: string) => boolean): string[] {
  const sound = ips.filter((ip) => !isDemoted(ip))
  return [...inTurn(sound), ...inTurn(ips.filter(isDemoted))].slice(0, ADDRESSES_MAX)
}

function inTurn(ips: readonly string[]): string[] {
  const six = ips.filter((ip) => isIPv6(ip))
  const four = ips.filter((ip) => !isIPv6(ip))
  const longer = Math.max(six.length, four.length)
  return Array.from({ length: longer }, (_, at) => [six[at], four[at]])
    .flat()
    .filter((ip) => ip !== undefined)
}
