import { networkInterfaces } from 'node:os'
import type { NetworkSettings, UnsentReason } from '../domain/index.ts'
import { bareHost, type Clock, canonicalAddress } from '../lib/index.ts'
import { ActiveExchange } from './active-exchange.ts'
import { type Address, addressOf } from './address.ts'
import { type AddressPolicy, addressRefusal } from './address-refusal.ts'
import { checkedResolver } from './checked-resolver.ts'
import { Connection } from './connection.ts'
import type { Exchange, ExchangeFailure, ExchangeObserver, OutgoingRequest } from './contract.ts'
import type { ExchangeHost } from './exchange-host.ts'
import { type Lookup, systemLookup } from './lookup.ts'
import { writeRequestHead } from './request-head.ts'
import { type GivenUp, type WholeAnswer, wholeAnswer } from './whole-answer.ts'

/**
 * The way out to places that strangers name: customers' own base URLs, webhooks. Each request has a connection of its own, to an address
 * that was resolved and checked for it; a redirect is an answer like any other, and a proxy is never asked. Reasons and messages name
 * addresses behind a name: they are the operator's to read, not the customer's.
 */
export interface Outbound {
  /** Why a URL can never be used; null when it may be tried. Looks no name up. */
  refusal(url: string): string | null
  /** Sends one request and reports as an agent does. A URL with a `refusal` ends as unsent, reason `address`. */
  send(url: string, request: OutboundRequest, observer: ExchangeObserver): Exchange
  /** Sends one request and takes in the whole answer. Never rejects for what happens outside. */
  ask(url: string, request: BoundedRequest, signal?: AbortSignal): Promise<OutboundAnswer>
}

export type OutboundRequest = Omit<OutgoingRequest, 'target' | 'resend'>

export interface BoundedRequest extends OutboundRequest {
  readonly limits: OutboundRequest['limits'] & { readonly totalMs: number; readonly bodyBytesMax: number }
}

export type OutboundAnswer = Pick<WholeAnswer, 'kind' | 'head' | 'body'> | ExchangeFailure | GivenUp

export interface OutboundOptions {
  readonly clock: Clock
  /** Asked for every request: they may change while it runs. */
  readonly settings: () => NetworkSettings
  readonly lookup?: Lookup
  readonly ownAddresses?: () => readonly string[]
}

/** With those that were given up and still hang in the kernel. */
const CONNECTIONS_MAX = 1024

/** Makes the checked way out. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { clock, settings, lookup = systemLookup, ownAddresses = interfaceAddresses } = options
  const policy: AddressPolicy = {
    get allowPrivate() {
      return settings().allowPrivate
    },
    ownAddresses,
  }
  const resolver = checkedResolver(lookup, policy)
  let connections = 0

  const hostOf = (address: Address, refused: string | null): ExchangeHost => ({
    ...ALONE,
    clock,
    dial(connectMs, user) {
      if (refused !== null) return { reason: 'address', message: refused }
      if (connections >= CONNECTIONS_MAX) return NO_ROOM
      connections++
      const onGone = (): void => {
        connections--
      }
      return new Connection({ address, clock, resolver, connectMs, isChecked: true, onGone }, user)
    },
  })

  function refusal(text: string): string | null {
    const reason = urlRefusal(text, settings().ports)
    if (reason !== null) return reason
    const { hostname } = new URL(text)
    const literal = canonicalAddress(bareHost(hostname))
    if (literal === null) return null
    const refused = addressRefusal(literal, policy)
    return refused === null ? null : `${literal} may not be dialled: ${refused}`
  }

  function send(text: string, request: OutboundRequest, observer: ExchangeObserver): Exchange {
    const refused = refusal(text)
    const url = new URL(refused === null ? text : NOWHERE)
    const caPem = settings().caFile?.pem ?? null
    const address = addressOf({ baseUrl: url.origin, tls: { caPem, client: null }, proxy: null })
    const outgoing: OutgoingRequest = { ...request, target: url.pathname + url.search, resend: 'never' }
    const head = writeRequestHead(address.hostHeader, outgoing)
    const exchange = new ActiveExchange(hostOf(address, refused), outgoing, head, observer)
    exchange.start()
    return exchange
  }

  return {
    refusal,
    send,
    ask(url, request, signal) {
      const { totalMs, bodyBytesMax } = request.limits
      return wholeAnswer((observer) => send(url, request, observer), { clock, totalMs, bodyBytesMax, signal })
    },
  }
}

const NOWHERE = 'https://refused.invalid/'
const NO_ROOM: { reason: UnsentReason; message: string } = {
  reason: 'no_room',
  message: `${CONNECTIONS_MAX} connections to customers' places are open or hang`,
}

/** No connection is kept, none comes from elsewhere. */
const ALONE: Omit<ExchangeHost, 'clock' | 'dial'> = {
  takeKept: () => null,
  writeSoon: (exchange) => exchange.writeNow(),
  awaits: () => {},
  awaitsNoMore: () => {},
  adopt: (connection) => connection.destroy(),
  giveBack: (connection) => connection.close(),
  lost: () => {},
  count: () => {},
  opened: () => {},
  noteFirstByte: () => {},
}

/** What is wrong with the URL itself. `new URL` has brought numbers of every notation (octal, hexadecimal, short) into one form. */
function urlRefusal(text: string, ports: readonly number[]): string | null {
  if (!URL.canParse(text)) return 'this is not a URL'
  const { protocol, username, password, port } = new URL(text)
  if (protocol !== 'https:') return 'the URL must begin with https://'
  if (username !== '' || password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) return 'the URL must not hold a user'
  const number = port === '' ? 443 : Number(port)
  return ports.includes(number) ? null : `port ${number} is not allowed`
}

const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? [])
