import type {
  Agent,
  AgentOptions,
  AgentStats,
  ExchangeFailure,
  OutgoingRequest,
  ReplyHead,
  Slot,
} from '../../../src/agents/index.ts'
import { createAgent } from '../../../src/agents/index.ts'
import type { AgentSettings, Backend } from '../../../src/domain/index.ts'
import { type FakeClock, fakeClock } from '../../support/fake-clock.ts'
import { breathe } from '../../support/wire.ts'

export const SETTINGS: AgentSettings = {
  idleMs: 55_000,
  ageMaxMs: 300_000,
  idleMax: 64,
  warm: 0,
  keepWarmMs: 0,
  pingEveryMs: 15_000,
  connectionsMax: 10_000,
}

/** Settings that keep one connection warm, and ping it. */
export const WARM: Partial<AgentSettings> = { warm: 1, keepWarmMs: 600_000, pingEveryMs: 15_000 }

interface BackendSpec {
  readonly slots?: number
  readonly caPem?: string
  readonly client?: Backend['tls']['client']
  readonly proxy?: Backend['proxy']
  readonly id?: string
}

/** A backend at a port of this machine, or at a whole base URL. */
export function backendAt(at: number | string, more: BackendSpec = {}): Backend {
  const { slots = 64, caPem = null, client = null, proxy = null, id = 'one' } = more
  return {
    id,
    provider: { id: 'p', ownership: null, data: null, dialects: ['openai'], credentials: [] },
    baseUrl: typeof at === 'number' ? `http://127.0.0.1:${at}/v1` : at,
    dialects: ['openai'],
    region: null,
    enabled: true,
    slots,
    tls: { caPem, client },
    proxy,
    resend: 'stale',
    ping: { path: '/models', everyMs: null, withCredential: false },
    limits: { connectMs: 5000, firstContentMs: 120_000, totalMs: 600_000, idleMs: 120_000 },
  }
}

/** An agent on a clock that stands still: only what the test moves runs out of time. */
export function agentOf(
  backend: Backend,
  settings: Partial<AgentSettings> = {},
  more: Partial<AgentOptions> = {},
): ReturnType<typeof createAgent> & { clock: FakeClock; [Symbol.dispose](): void } {
  const clock = fakeClock()
  clock.advance(3_600_000) // it has run for a while
  const agent = createAgent({ backend, settings: { ...SETTINGS, ...settings }, clock, ...more })
  return Object.assign(agent, { clock, [Symbol.dispose]: () => agent.close() })
}

export type ProbeEnd = { readonly kind: 'ended'; readonly status: number; readonly body: string } | ExchangeFailure

/** One request, everything that was reported of it, and promises for it. The slot is given back at the last report. */
export class Probe {
  readonly exchange
  readonly slot: Slot
  readonly reports: string[] = []
  readonly pieces: Uint8Array[] = []
  receivedBytes = 0
  replyHead: ReplyHead | null = null
  readonly head = Promise.withResolvers<ReplyHead>()
  readonly ended = Promise.withResolvers<ProbeEnd>()
  onHead: () => void = () => {}
  onBody: () => void = () => {}
  #wanted: { size: number; resolve: () => void } | null = null

  constructor(agent: Agent, request: Partial<OutgoingRequest> = {}, hooks: { onHead?(): void; onBody?(): void } = {}) {
    const slot = agent.take()
    if (slot === null) throw new Error('no slot')
    this.slot = slot
    this.onHead = hooks.onHead ?? this.onHead
    this.onBody = hooks.onBody ?? this.onBody
    this.exchange = agent.send(
      slot,
      { ...REQUEST, ...request },
      {
        head: (head) => {
          this.reports.push('head')
          this.replyHead = head
          this.head.resolve(head)
          this.onHead()
        },
        body: (bytes) => {
          this.reports.push('body')
          this.pieces.push(bytes)
          this.receivedBytes += bytes.length
          if (this.#wanted !== null && this.receivedBytes >= this.#wanted.size) this.#wanted.resolve()
          this.onBody()
        },
        end: () => {
          this.reports.push('end')
          agent.release(slot)
          const body = Buffer.concat(this.pieces).toString()
          this.ended.resolve({ kind: 'ended', status: this.replyHead?.status ?? 0, body })
        },
        failure: (failure) => {
          this.reports.push('failure')
          agent.release(slot)
          this.ended.resolve(failure)
        },
      },
    )
  }

  /** Resolves when at least `size` bytes of the body were reported. */
  received(size: number): Promise<void> {
    if (this.receivedBytes >= size) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wanted = { size, resolve }
    return promise
  }
}

/** What `Probe` sends where nothing else is asked for. */
export const REQUEST: OutgoingRequest = {
  method: 'POST',
  target: '/v1/chat/completions',
  headers: [['content-type', 'application/json']],
  body: Buffer.from('{"model":"m"}'),
  limits: { connectMs: 5000, idleMs: 120_000 },
  resend: 'stale',
}

/** Sends a request and waits for its end. */
export function ask(agent: Agent, request: Partial<OutgoingRequest> = {}): Promise<ProbeEnd> {
  return new Probe(agent, request).ended.promise
}

/** Lets the event loop turn until `condition` holds; the test's own time limit ends it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await breathe()
}

/** No connection is in use, or on its way. */
export const isAtRest = ({ connectionsDialling, connectionsOpen, connectionsIdle }: AgentStats): boolean =>
  connectionsDialling === 0 && connectionsOpen === connectionsIdle

/** Time passes in ticks of the watch; each waits for the pings and dials it began. */
export async function rest(agent: ReturnType<typeof agentOf>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    agent.clock.advance(500)
    await until(() => isAtRest(agent.stats()))
  }
}
