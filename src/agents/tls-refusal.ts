import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/** What a handshake came to, as Bun tells it. */
export interface Handshake {
  readonly isVerified: boolean
  readonly error: Error | null
  readonly certificate: PeerCertificate
  /** Null or false when none was chosen. */
  readonly protocol: string | false | null
}

/**
 * Why a TLS connection to `host` must not be used; null when it may. Bun has checked chain and name; the name is checked
 * again here, because versions before 1.4 let a wrong one pass.
 */
export function tlsRefusal(host: string, { isVerified, error, certificate, protocol }: Handshake): string | null {
  if (error !== null) return error.message
  if (!isVerified) return 'the certificate could not be verified'
  const misnamed = checkServerIdentity(host, certificate)
  if (misnamed !== undefined) return misnamed.message
  return protocol && protocol !== 'http/1.1' ? `the backend chose ${protocol} instead of HTTP/1.1` : null
}
