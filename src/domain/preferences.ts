/** What a model must be able to do for a request, as the configuration and `/models` name it. */
export type Capability = (typeof CAPABILITIES)[number]

export const CAPABILITIES = ['tools', 'json_schema', 'images', 'audio', 'files', 'video'] as const

/** Optional parameters that an offer with a capability knows, where its operator lists none. */
export const PARAMETERS_OF: Readonly<Partial<Record<Capability, readonly string[]>>> = {
  tools: ['tools', 'tool_choice'],
  json_schema: ['response_format', 'structured_outputs'],
}

/**
 * What a caller asks of routing, in OpenRouter's words (`models`, `provider`). All of it is obeyed strictly, but `maxLatencyMs` and
 * `minThroughput`, which only order. Names of providers are slugs: see `slugOf`.
 */
export interface Preferences {
  /** Models to fall back on, in order, after the one that is asked for. */
  readonly models: readonly string[]
  /** Providers that come first, in this order. */
  readonly order: readonly string[]
  /** These providers alone; null: any. */
  readonly only: readonly string[] | null
  readonly ignore: readonly string[]
  /** False: none but those in `order`; without an order, the first candidate alone. */
  readonly allowFallbacks: boolean
  /** Optional parameters of this request that an offer must know (`require_parameters`); null: that is not asked for. */
  readonly parameters: readonly string[] | null
  /** No provider that keeps what it is sent for its own use (`data_collection: deny`). */
  readonly denyDataCollection: boolean
  /** Only providers that keep nothing at all. */
  readonly zeroRetention: boolean
  readonly quantizations: readonly string[] | null
  readonly sort: Sort | null
  readonly maxPrice: MaxPrice | null
  readonly maxLatencyMs: Percentiles | null
  /** Tokens per second. */
  readonly minThroughput: Percentiles | null
}

/** How weights may be stored. */
export const QUANTIZATIONS = ['int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown'] as const

export type SortBy = (typeof SORTS)[number]

export const SORTS = ['price', 'latency', 'throughput', 'uptime', 'weight'] as const

export interface Sort {
  readonly by: SortBy
  /** The offers of all models of the request are one list; else each model's come before the next one's. */
  readonly acrossModels: boolean
}

/** The most that may be charged: nano-dollars per million tokens, or for each request and image. Null: no bound. */
export interface MaxPrice {
  readonly prompt: number | null
  readonly completion: number | null
  readonly request: number | null
  readonly image: number | null
  /** Per million tokens of sound. */
  readonly audio: number | null
}

/** A bound for each percentile that has one. */
export interface Percentiles {
  readonly p50: number | null
  readonly p75: number | null
  readonly p90: number | null
  readonly p99: number | null
}

/** What a request wishes that wishes nothing: one object for all. */
export const NO_PREFERENCES: Preferences = {
  models: [],
  order: [],
  only: null,
  ignore: [],
  allowFallbacks: true,
  parameters: null,
  denyDataCollection: false,
  zeroRetention: false,
  quantizations: null,
  sort: null,
  maxPrice: null,
  maxLatencyMs: null,
  minThroughput: null,
}
