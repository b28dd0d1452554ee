import type { Capability } from './preferences.ts'
import type { Price } from './price.ts'

export type BackendId = string
export type ModelId = string

/** The wire formats a backend can speak. */
export const DIALECTS = ['openai', 'anthropic'] as const

export type DialectName = (typeof DIALECTS)[number]

/** What a provider works on: each stands in `operations` of the dialects that have a form for it. */
export const SERVED_OPERATIONS = [
  'chat.completions',
  'completions',
  'embeddings',
  'moderations',
  'rerank',
  'images.generations',
  'audio.speech',
  'audio.transcriptions',
  'audio.translations',
  'images.edits',
  'images.variations',
  'responses',
  'responses.input_tokens',
  'files',
  'messages',
  'messages.count_tokens',
] as const

export type ServedOperation = (typeof SERVED_OPERATIONS)[number]

/** What is asked of something that a provider keeps. */
export type KeptOperationName =
  | 'responses.show'
  | 'responses.delete'
  | 'responses.cancel'
  | 'responses.input_items'
  | 'files.list'
  | 'files.show'
  | 'files.content'
  | 'files.delete'
  | 'batches'
  | 'batches.list'
  | 'batches.show'
  | 'batches.cancel'

/** A public API method + path, whatever the prefix it was called under: its route stands in `http/operations/`. */
export type OperationName =
  | ServedOperation
  | KeptOperationName
  | 'models.list'
  | 'models.show'
  | 'models.count'
  | 'models.user'
  | 'model.show'
  | 'models.endpoints'
  | 'endpoints.zdr'
  | 'providers.list'

/** The secret shown to a provider. It is never logged, listed or stored in clear. */
export interface OperatorCredential {
  readonly id: string
  readonly secret: string
}

/** What a provider does with prompts and answers; null: not known. */
export interface DataHandling {
  /** Days it keeps them; 0: not at all. */
  readonly retentionDays: number | null
  readonly training: boolean | null
}

/** The organisation that serves models. */
export interface Provider {
  readonly id: string
  /** Country that owns it, ISO 3166 alpha-2 in small letters; null when the operator did not say. */
  readonly ownership: string | null
  /** What it says of the data it is sent; null when the operator did not say. */
  readonly data: DataHandling | null
  readonly dialects: readonly DialectName[]
  readonly credentials: readonly OperatorCredential[]
}

/** Limits of time, in ms; ROUTING.md says what each bounds. */
export interface TimeLimits {
  readonly connectMs: number
  readonly firstContentMs: number
  readonly totalMs: number
  readonly idleMs: number
}

/** The request that tells whether an idle connection's path is alive. */
export interface PingTerms {
  /** Below the base URL, e.g. `/models`. */
  readonly path: string
  /** Null: as often as the agents' settings say. */
  readonly everyMs: number | null
  /** Whether it shows the provider's first credential. */
  readonly withCredential: boolean
}

export interface BackendTls {
  /** Authorities trusted beside the machine's own. */
  readonly caPem: string | null
  readonly client: ClientCertificate | null
}

/** Shown to a backend that asks for one (mTLS). The key is a secret. */
export interface ClientCertificate {
  readonly certPem: string
  readonly keyPem: string
}

/** A proxy that connections leave through (CONNECT). */
export interface OutboundProxy {
  readonly host: string
  readonly port: number
  /** The value of `Proxy-Authorization`, a secret; null: none is shown. */
  readonly authorization: string | null
}

/** One place requests can be sent: provider + base URL + dialects + region. */
export interface Backend {
  readonly id: BackendId
  readonly provider: Provider
  /** Base URL without a slash at its end, e.g. `https://api.acme.example/v1`: that of all its dialects. */
  readonly baseUrl: string
  /** What it can be asked in, at least one: a request's own decides path and headers. */
  readonly dialects: readonly DialectName[]
  readonly region: string | null
  readonly enabled: boolean
  readonly slots: number
  readonly tls: BackendTls
  /** Null: the way is direct. */
  readonly proxy: OutboundProxy | null
  /** Whether a request goes out once more when the kept connection it went out on proves to have been closed already. */
  readonly resend: 'stale' | 'never'
  /** Null: it is never pinged. */
  readonly ping: PingTerms | null
  readonly limits: TimeLimits
}

/** A backend serves a model, under its own id there, at a price, with limits. */
export interface Offer {
  /** See `offerId`. */
  readonly id: string
  readonly backend: Backend
  readonly model: ModelId
  /** The model's id at the provider. */
  readonly providerModel: string
  /** What the account pays; null when the operator set none: then only unmetered accounts are served. */
  readonly price: Price | null
  /** What the provider bills the operator; null when unknown. */
  readonly cost: Price | null
  readonly contextTokensMax: number | null
  readonly outputTokensMax: number | null
  readonly enabled: boolean
  /** What the model can do there; absent: the operator did not say, and nothing is kept from it. */
  readonly capabilities?: readonly Capability[]
  /** What can be asked of it there; absent: all that its backend's dialects have a form for, and the provider judges. */
  readonly operations?: readonly OperationName[]
  /** Optional parameters that it knows (`supported_parameters`); absent: not known. */
  readonly parameters?: readonly string[]
  /** How its weights are stored, e.g. `fp8`; absent: not known. */
  readonly quantization?: string
  /** Its share when requests are spread by weight; absent: 1. */
  readonly weight?: number
  /** Of requests for it: its own, else the model's, else the backend's. */
  readonly limits: TimeLimits
}

/** `backend/model`: unique in the catalogue and stable over reloads. A backend's id has no slash in it. */
export const offerId = (backend: BackendId, model: ModelId): string => `${backend}/${model}`

/** The backend of an offer of this id. */
export const backendOfOffer = (offer: string): BackendId => offer.slice(0, offer.indexOf('/'))

/** The model of an offer of this id. */
export const modelOfOffer = (offer: string): ModelId => offer.slice(offer.indexOf('/') + 1)

/** A named capability a client asks for, whoever serves it. */
export interface Model {
  readonly id: ModelId
  readonly contextTokensMax: number | null
  readonly outputTokensMax: number | null
  readonly capabilities: readonly Capability[]
  /** In the operator's order of preference. */
  readonly offers: readonly Offer[]
}

/** How a router model orders its models: by what the request needs, by price, or as they are listed. */
export const ROUTER_ORDERS = ['needs', 'price', 'order'] as const

export type RouterOrder = (typeof ROUTER_ORDERS)[number]

/** What requests may need that a router model has a list of models for. The first that a request has counts. */
export const ROUTER_NEEDS = ['long_context', 'images', 'tools', 'cheap', 'best'] as const

export type RouterNeed = (typeof ROUTER_NEEDS)[number]

/** Whether a model can be asked in a dialect: some backend that speaks it serves the model now, as far as the catalogue says. */
export const isSpokenTo = ({ offers }: Model, dialect: DialectName): boolean =>
  offers.some(({ enabled, backend }) => enabled && backend.enabled && backend.dialects.includes(dialect))

/** A router model as its operator says it: a name that stands for several models, of which each request gets what fits it. */
export interface RouterTerms {
  /** Null: all models. */
  readonly candidates: readonly ModelId[] | null
  readonly by: RouterOrder
  /** Offers whose price is zero alone. */
  readonly freeOnly: boolean
  /** Models that come first for requests with a need. */
  readonly needs: Readonly<Partial<Record<RouterNeed, readonly ModelId[]>>>
}

/** A router model of one catalogue. */
export interface Router extends RouterTerms {
  readonly id: string
  /** All that it may take, in its order. */
  readonly models: readonly Model[]
}

/** What a catalogue is built from: plain values, made by the configuration or the demo. */
export interface CatalogueParts {
  readonly backends: ReadonlyMap<BackendId, Backend>
  readonly models: ReadonlyMap<ModelId, Model>
  /** Other names of models: alias -> model id. */
  readonly aliases: ReadonlyMap<string, ModelId>
  /** What the operator says of router models; absent: nothing. */
  readonly routers?: ReadonlyMap<string, RouterTerms>
}

/** Immutable versioned snapshot of providers, backends, models, offers. */
export interface Catalogue extends CatalogueParts {
  /** The operator's and those that are there by themselves. */
  readonly routers: ReadonlyMap<string, Router>
  readonly version: number
  /** Unix seconds, shown as `created` of each model. */
  readonly createdAtS: number
}
