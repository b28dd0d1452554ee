import type { AnyElysia } from 'elysia'
import { type AddressRange, canonicalAddress, isInRanges } from '../lib/index.ts'

/**
 * The address of whoever sent a request: the connection's other end, unless that is a trusted proxy. Then the right-most address of
 * `X-Forwarded-For` that is none of the trusted; when all are trusted, the left-most. What a caller writes into that header itself stands
 * left of what proxies add, so it is never believed before theirs. Null when the connection is gone.
 */
export function clientAddress(
  peer: string | null,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string | null {
  if (peer === null || forwardedFor === null || trusted.length === 0 || !isInRanges(peer, trusted)) return peer
  let nearest = peer
  for (const entry of forwardedFor.split(',').reverse()) {
    const address = addressIn(entry.trim())
    if (address === null) return nearest // not readable: whatever stands left of it cannot be believed
    nearest = address
    if (!isInRanges(address, trusted)) return nearest
  }
  return nearest
}

/** The address of whoever sent this server a request, as `clientAddress` has it. */
export const remoteAddress = (
  request: Request,
  server: AnyElysia['server'],
  trusted: readonly AddressRange[],
): string | null =>
  clientAddress(server?.requestIP(request)?.address ?? null, request.headers.get('x-forwarded-for'), trusted)

/** Some proxies add a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressIn(entry: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return canonicalAddress(bare)
}
