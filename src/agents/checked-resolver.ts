import { isIP } from 'node:net'
import { errorText } from '../lib/index.ts'
import { addressOrder } from './address-order.ts'
import { type AddressPolicy, addressRefusal } from './address-refusal.ts'
import type { Lookup } from './lookup.ts'
import type { Resolved, Resolver } from './resolver.ts'

/**
 * Names of customers, asked for afresh every time, and never kept: an answer that was public yesterday says nothing of today. With one
 * address that must not be dialled, none is.
 */
export function checkedResolver(lookup: Lookup, policy: AddressPolicy): Resolver {
  const check = (host: string, ips: readonly string[]): Resolved => {
    for (const ip of ips) {
      const reason = addressRefusal(ip, policy)
      if (reason !== null) {
        const message = ip === host ? `${ip} may not be dialled: ${reason}` : `${host} leads to ${ip}: ${reason}`
        return { kind: 'failed', reason: 'address', message }
      }
    }
    return { kind: 'addresses', ips: addressOrder([...new Set(ips)], () => false) }
  }
  return {
    find(host) {
      if (isIP(host) !== 0) return check(host, [host])
      return lookup(host).then(
        (found): Resolved => {
          if (found.length === 0) return { kind: 'failed', reason: 'dns', message: `${host} has no address` }
          return check(
            host,
            found.map(({ ip }) => ip),
          )
        },
        (error: unknown): Resolved => {
          return { kind: 'failed', reason: 'dns', message: errorText(error) }
        },
      )
    },
    demote: () => {},
    doubt: () => {},
  }
}
