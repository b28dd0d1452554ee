import {
  type Backend,
  type CatalogueParts,
  type Model,
  type ModelId,
  type Offer,
  offerId,
  type Price,
  parsePricePerMillion,
  type TimeLimits,
} from '../domain/index.ts'
import { assert, base62, type Clock, type Random } from '../lib/index.ts'
import type { Dials, ModelDials } from './dials.ts'
import { simulatedProvider } from './simulated-provider.ts'

/** Everything the gateway needs to be tried with no account anywhere. */
export interface Demo {
  readonly parts: CatalogueParts
  /** A line for people on each model: what is dialled there. */
  readonly notes: ReadonlyMap<ModelId, string>
  /** Ends both providers at once, with every connection. */
  close(): Promise<void>
}

const SLOTS = 64
/** Above the slots: a request that was just hung up may still be held here when its slot is taken again. */
const HELD_REQUESTS_MAX = 2 * SLOTS
const CONTEXT_TOKENS = 32_768
const OUTPUT_TOKENS_MAX = 4096
const LATENCIES_MS = { north: 20, south: 35 } as const
const CHARACTERS_NANO = 1_000_000_000 // spoken ones: $1.00 a million
const LIMITS: TimeLimits = { connectMs: 5000, firstContentMs: 120_000, totalMs: 600_000, idleMs: 120_000 }

const SLOW_TALK =
  'I speak at twenty tokens a second, so that there is time to watch a stream, to hang up in the middle of it, ' +
  'or to stop the gateway and see that it waits for me to finish.'

interface DemoModel {
  readonly id: ModelId
  readonly providerModel: string
  readonly price: Price
  readonly note: string
  readonly dials: (backend: string) => ModelDials
}

const MODELS: readonly DemoModel[] = [
  {
    id: 'demo/fast',
    providerModel: 'fast',
    price: priceOf('0.15', '0.60'),
    note: `2 backends: north ${LATENCIES_MS.north} ms, south ${LATENCIES_MS.south} ms`,
    dials: () => ({ tokensPerSecond: null, failsOneOf: 0, talk: '' }),
  },
  {
    id: 'demo/slow',
    providerModel: 'slow',
    price: priceOf('1.00', '4.00'),
    note: 'streams 20 tokens/s',
    dials: () => ({ tokensPerSecond: 20, failsOneOf: 0, talk: SLOW_TALK }),
  },
  {
    id: 'demo/flaky',
    providerModel: 'flaky',
    price: priceOf('0.15', '0.60'),
    note: 'north fails 1 of 3; watch it fall back',
    dials: (backend) => ({ tokensPerSecond: null, failsOneOf: backend === 'north' ? 3 : 0, talk: '' }),
  },
  {
    id: 'demo/gift',
    providerModel: 'gift',
    price: { input: 0, output: 0 },
    note: 'costs nothing: what anyrouter/free takes',
    dials: () => ({ tokensPerSecond: null, failsOneOf: 0, talk: '' }),
  },
]

/** Starts two simulated providers, `north` and `south`, on free loopback ports, and says how to reach them. They know only this process's credential. */
export function startDemo({ clock, random }: { clock: Clock; random: Random }): Demo {
  const started = Object.entries(LATENCIES_MS).map(([name, latencyMs]) => startBackend(name, latencyMs, clock, random))
  const backends = started.map(({ backend }) => backend)
  return {
    parts: {
      backends: new Map(backends.map((backend) => [backend.id, backend])),
      models: new Map(MODELS.map((model) => [model.id, modelOf(model, backends)])),
      aliases: new Map(),
    },
    notes: new Map(MODELS.map(({ id, note }) => [id, note])),
    async close() {
      await Promise.all(started.map(({ close }) => close()))
    },
  }
}

function startBackend(
  name: string,
  latencyMs: number,
  clock: Clock,
  random: Random,
): { backend: Backend; close: () => Promise<void> } {
  const secret = `sk-demo-${base62(24, random)}`
  const models = Object.fromEntries(MODELS.map((model) => [model.providerModel, model.dials(name)]))
  const dials: Dials = { latencyMs, heldRequestsMax: HELD_REQUESTS_MAX, models }
  const { baseUrl, close } = simulatedProvider({ name, secret, dials, clock })
  const backend: Backend = {
    id: name,
    provider: {
      id: `demo-${name}`,
      ownership: null,
      data: null,
      dialects: ['openai', 'anthropic'],
      credentials: [{ id: 'demo', secret }],
    },
    baseUrl,
    dialects: ['openai', 'anthropic'],
    region: null,
    enabled: true,
    slots: SLOTS,
    tls: { caPem: null, client: null },
    proxy: null,
    resend: 'stale',
    ping: { path: '/models', everyMs: null, withCredential: false },
    limits: LIMITS,
  }
  return { backend, close }
}

function modelOf({ id, providerModel, price }: DemoModel, backends: readonly Backend[]): Model {
  const limits = { contextTokensMax: CONTEXT_TOKENS, outputTokensMax: OUTPUT_TOKENS_MAX }
  const offers = backends.map(
    (backend): Offer => ({
      id: offerId(backend.id, id),
      backend,
      model: id,
      providerModel,
      price,
      cost: null,
      ...limits,
      enabled: true,
      limits: backend.limits,
    }),
  )
  return { id, ...limits, capabilities: ['tools'], offers }
}

function priceOf(inputText: string, outputText: string): Price {
  const input = parsePricePerMillion(inputText)
  const output = parsePricePerMillion(outputText)
  assert(input !== null && output !== null, 'the demo has a price that cannot be read')
  return { input, output, perRequest: 0, perMillionCharacters: CHARACTERS_NANO }
}
