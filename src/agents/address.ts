import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import type { Backend } from '../domain/index.ts'

/** Where an agent dials, and what it insists on there. */
export interface Address {
  /** Name or IP address, an IPv6 one without brackets. */
  readonly host: string
  readonly port: number
  /** As the `Host` header says it: with the port when it is not the scheme's own. */
  readonly hostHeader: string
  /** Null for plain HTTP. */
  readonly tls: TlsDemand | null
}

export interface TlsDemand {
  /** Empty for an IP address: those have no place in SNI (RFC 6066, 3). */
  readonly serverName: string
  /** The machine's own certificate authorities and the operator's; null for the machine's own alone. */
  readonly ca: string[] | null
}

/** The address behind a backend's base URL. Throws on anything but http and https: the configuration has checked that. */
export function addressOf(backend: Backend): Address {
  const url = new URL(backend.baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError(`no HTTP address: ${url.protocol}`)
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const defaultPort = isTls ? 443 : 80
  const { caPem } = backend.tls
  const tls = {
    serverName: isIP(host) === 0 ? host : '',
    ca: caPem === null ? null : [...getCACertificates('default'), caPem],
  }
  return {
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    hostHeader: url.host,
    tls: isTls ? tls : null,
  }
}
