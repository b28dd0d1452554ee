import { errorCode } from '../lib/index.ts'

/** One address of a name, and how long that may be believed. */
export interface NamedAddress {
  readonly ip: string
  /** Seconds; null when the source does not say: the machine's own list of hosts, for one. */
  readonly ttlS: number | null
}

/** Asks for all addresses of a name, IPv4 and IPv6. Rejects when there is none, or nobody to ask. */
export type Lookup = (host: string) => Promise<readonly NamedAddress[]>

/**
 * The machine's own: its list of hosts and the name servers of its configuration (c-ares, which tells lives and waits in no thread); what
 * they do not know, as the machine itself finds it (libc: mDNS, other sources of nsswitch.conf). Keeps nothing itself.
 */
export const systemLookup: Lookup = async (host) => {
  const found = await Bun.dns.lookup(host, { backend: 'c-ares' }).catch((error: unknown) => {
    if (errorCode(error) !== 'DNS_ENOTFOUND') throw error
    return Bun.dns.lookup(host, { backend: 'libc' })
  })
  return found.map(({ address, ttl }) => ({ ip: address, ttlS: ttl > 0 ? ttl : null }))
}
