import type { Backend, ExchangeTiming } from '../../domain/index.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import type { FreeCallEnd, UnansweredReason } from './free-call.ts'

type Answered = Extract<FreeCallEnd, { kind: 'answered' }>

const SLOW_US = 2_000_000
const US_PER_MS = 1000

/** What the first call, on a new connection and without a credential, says of a backend. */
export function judgeBackend(backend: Backend, end: FreeCallEnd): Finding {
  const about = { check: 'backend', subject: backend.id } as const
  if (end.kind === 'unanswered')
    return fail(about, `${backend.baseUrl}: ${end.reason}: ${end.message}`, UNANSWERED[end.reason])
  const { status, words, tookUs } = end
  const message = `${backend.baseUrl}: answered ${splitOf(end)}, status ${status} without a credential`
  if (status >= 300 && status < 400)
    return fail(about, message, 'It redirects, and redirects are not followed: write the final address as its url.')
  if (status >= 500) return warn(about, `${message}: ${words}`, 'It is reached, and has trouble of its own: try later.')
  if (needsCredential(status) && backend.provider.credentials.length === 0) {
    const advice = `Name a credential of the provider ${backend.provider.id} in the configuration.`
    return fail(about, `${message}: it asks for a credential, and there is none`, advice)
  }
  if (status === 404) return warn(about, message, NOT_THERE)
  return tookUs > SLOW_US ? warn(about, `${message}: slow`, slowAdvice(end)) : ok(about, message)
}

/** What to do about a 404. */
export const NOT_THERE = 'GET /models is not there: see whether its url ends as it should, often with /v1.'

/** It would have been taken with the right credential. */
export const needsCredential = (status: number): boolean => status === 401 || status === 403

/** `in 142 ms (connect 48, TLS 51, first byte 43)`. */
function splitOf({ tookUs, timing }: Answered): string {
  const { dnsUs, connectUs, tlsUs, firstByteUs } = timing
  const parts = [part('name', dnsUs), part('connect', connectUs), part('TLS', tlsUs), part('first byte', firstByteUs)]
  return `in ${inMs(tookUs)} ms (${parts.filter((text) => text !== '').join(', ')})`
}

const part = (name: string, us: number | null): string => (us === null ? '' : `${name} ${inMs(us)}`)
const inMs = (us: number): string => (us / US_PER_MS).toFixed(us < 10 * US_PER_MS ? 1 : 0)

const wayUs = ({ dnsUs, connectUs, tlsUs }: ExchangeTiming): number => (dnsUs ?? 0) + (connectUs ?? 0) + (tlsUs ?? 0)

const slowAdvice = ({ timing, tookUs }: Answered): string =>
  wayUs(timing) > tookUs / 2
    ? 'Most of it is the way there: see the network and the name server of this machine, or take a backend nearer by.'
    : 'Most of it is the provider itself: put a faster backend before it in the order of offers.'

const UNANSWERED: Readonly<Record<UnansweredReason, string>> = {
  dns: "Its name is not known: see the url for a slip of the pen, and this machine's /etc/resolv.conf.",
  connect: 'Nothing listens there: is it running, and is the port in its url right?',
  connect_timeout: 'Nothing answers there: see the address, the firewall of this machine, and the way there.',
  no_room: 'Raise agents.connections_max, and what ulimit -n allows, or try again with less going on.',
  tls: 'Its certificate was refused: see the name in its url; an authority of your own goes into tls.ca_file.',
  proxy: 'The proxy on the way out did not connect us: see HTTPS_PROXY, NO_PROXY, and proxy: at this backend.',
  address: 'Its address may not be dialled.',
  reset: 'It hung up: is the scheme in its url right, and does it speak HTTP/1.1?',
  framing: 'What came is no HTTP/1.1: see the scheme and the port in its url.',
  idle_timeout: 'It fell silent in the middle of its answer: try again, then ask the provider.',
  timeout: 'It took the connection and did not answer: try again, then ask the provider.',
  busy: 'Try again.',
}
