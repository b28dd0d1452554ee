import { isIP } from 'node:net'
import { getCACertificates } from 'node:tls'
import type { TLSOptions } from 'bun'
import type { Backend, ClientCertificate, OutboundProxy } from '../domain/index.ts'
import { bareHost } from '../lib/index.ts'
import { ALPN_HTTP11 } from './owned-socket.ts'

/** Where an agent dials, and what it insists on there. */
export interface Address {
  /** Name or IP address, an IPv6 one without brackets. */
  readonly host: string
  readonly port: number
  /** As the `Host` header says it: with the port when it is not the scheme's own. */
  readonly hostHeader: string
  /** Null for plain HTTP. */
  readonly tls: TlsDemand | null
  /** Null: the way is direct. */
  readonly proxy: OutboundProxy | null
}

export interface TlsDemand {
  /**
   * Without the dot at a name's end, and empty for an IP address: neither has a place in SNI (RFC 6066, 3). Behind a proxy an address is told
   * all the same: without it Bun would check the certificate for the proxy's.
   */
  readonly serverName: string
  /** The machine's own certificate authorities and the operator's; null for the machine's own alone. */
  readonly ca: string[] | null
  /** What is shown to a backend that asks who we are. */
  readonly client: ClientCertificate | null
}

/**
 * Reads the machine's own authorities, where a backend has some beside them: some 15 ms, once, which are better spent before the first request
 * than on its way.
 */
export function readAuthorities(backends: Iterable<Pick<Backend, 'tls'>>): void {
  for (const { tls } of backends) {
    if (tls.caPem === null) continue
    getCACertificates('default')
    return
  }
}

/** The address behind a backend's base URL. Throws on anything but http and https: the configuration has checked that. */
export function addressOf({ baseUrl, tls, proxy }: Pick<Backend, 'baseUrl' | 'tls' | 'proxy'>): Address {
  const url = new URL(baseUrl)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError(`no HTTP address: ${url.protocol}`)
  const isTls = url.protocol === 'https:'
  const host = bareHost(url.hostname)
  const defaultPort = isTls ? 443 : 80
  const { caPem, client } = tls
  const demand = {
    serverName: isIP(host) === 0 || proxy !== null ? host.replace(/\.$/, '') : '',
    ca: caPem === null ? null : [...getCACertificates('default'), caPem],
    client,
  }
  return {
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    hostHeader: url.host,
    tls: isTls ? demand : null,
    proxy,
  }
}

/** The demand in Bun's words. Bun checks the chain, and the certificate's names against `serverName`, or the dialled address without one. */
export function tlsOptionsOf({ serverName, ca, client }: TlsDemand): TLSOptions & { ALPNProtocols: Buffer } {
  return {
    serverName,
    ALPNProtocols: ALPN_HTTP11,
    rejectUnauthorized: true,
    ...(ca === null ? {} : { ca }),
    ...(client === null ? {} : { cert: client.certPem, key: client.keyPem }),
  }
}
