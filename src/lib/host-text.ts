/** `host:port` as URLs and `Host` headers say it: an IPv6 address stands in brackets. */
export const hostText = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The host of a URL, an IPv6 address without its brackets. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')
