import { z } from 'zod'
import type { OutboundProxy } from '../domain/index.ts'
import { bareHost, canonicalAddress, isInRanges, isLoopback, parseAddressRange } from '../lib/index.ts'
import type { Environment } from './surroundings.ts'

/** A proxy, or what is wrong with its URL, in words that repeat none of it. */
export type FoundProxy =
  | { readonly kind: 'proxy'; readonly proxy: OutboundProxy | null }
  | { readonly kind: 'problem'; readonly reason: string; readonly suggestion: string | null }

const EXAMPLE = 'Write it as http://proxy.example:3128'

/** Reads `http://host:port`; with `user:password@` before the host only where that is allowed. */
export function readOutboundProxy(text: string, mayHoldCredential: boolean): FoundProxy {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text))
    return problem('is not the URL of a proxy', EXAMPLE)
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  if (protocol !== 'http:') return problem('must begin with http:// (the way through it is TLS all the same)', EXAMPLE)
  if (pathname !== '/' || search !== '' || hash !== '') return problem('must be a host and a port alone', EXAMPLE)
  const host = bareHost(hostname)
  const proxy = { host, port: port === '' ? 80 : Number(port) }
  if (username === '' && password === '') return { kind: 'proxy', proxy: { ...proxy, authorization: null } }
  if (!mayHoldCredential) {
    return problem(
      'must not hold a user or a password',
      'proxy: { url: "http://proxy.example:3128", credential: { env: NAME_OF_VARIABLE } }, where the variable holds user:password',
    )
  }
  try {
    const authorization = proxyAuthorization(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    return { kind: 'proxy', proxy: { ...proxy, authorization } }
  } catch {
    return problem('holds a user or a password with a broken % in it', null)
  }
}

/** The value of `Proxy-Authorization` (RFC 7617) for `user:password`. */
export const proxyAuthorization = (credential: string): string => `Basic ${Buffer.from(credential).toString('base64')}`

/**
 * The proxy that the environment names for a backend: `HTTPS_PROXY` or `HTTP_PROXY`, but for what `NO_PROXY` lists, this machine and its
 * loopback addresses. Names in small letters go before (as in curl). `variable` is the one that a problem is about.
 */
export function proxyFromEnvironment(baseUrl: string, env: Environment): FoundProxy & { readonly variable: string } {
  const url = new URL(baseUrl)
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const small = name.toLowerCase()
  const variable = (env[small] ?? '') === '' ? name : small
  const text = (env[variable] ?? '').trim()
  if (text === '' || isDirect(url, env.no_proxy ?? env.NO_PROXY ?? '')) return { kind: 'proxy', proxy: null, variable }
  return { ...readOutboundProxy(/^[^/]*:\/\//.test(text) ? text : `http://${text}`, true), variable }
}

/** Entries are `*`, a name (and all below it), an address, a range, each with a port or without. */
function isDirect(url: URL, noProxy: string): boolean {
  const host = bareHost(url.hostname).replace(/\.$/, '')
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  if (host === 'localhost' || host.endsWith('.localhost') || isLoopback(host)) return true
  return noProxy.split(/[\s,]+/).some((entry) => entry !== '' && isListed(entry.toLowerCase(), host, port))
}

function isListed(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true
  const range = parseAddressRange(entry)
  if (range !== null) return isInRanges(host, [range])
  const [, bracketed, plain = '', listedPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
  if (listedPort !== undefined && listedPort !== port) return false
  const name = (bracketed ?? plain).replace(/^\*?\./, '').replace(/\.$/, '')
  if (name === '') return false
  if (canonicalAddress(host) !== null) return canonicalAddress(name) === canonicalAddress(host)
  return host === name || host.endsWith(`.${name}`)
}

const problem = (reason: string, suggestion: string | null): FoundProxy => ({ kind: 'problem', reason, suggestion })

const proxyCredential = z
  .strictObject({ env: z.string().min(1).optional(), file: z.string().min(1).optional() })
  .refine(({ env, file }) => (env === undefined) !== (file === undefined), {
    error: 'must name where user:password is: either env (a variable) or file (a path)',
  })

/** `off`, the URL of a proxy, or that and where its user and password are. */
export const proxySchema = z.union(
  [z.string().min(1), z.strictObject({ url: z.string().min(1), credential: proxyCredential.optional() })],
  'must be off, http://host:port, or { url: "http://host:port", credential: { env: NAME_OF_VARIABLE } }',
)
