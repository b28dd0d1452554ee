import { NO_PREFERENCES, type Preferences } from '../domain/index.ts'
import { isRecord, type JsonReader, jsonCut, type Splice } from '../lib/index.ts'
import type { Span } from './dialect.ts'
import { readProviderWishes } from './read-provider-wishes.ts'
import { requestParameters } from './request-parameters.ts'
import type { RequestProblem } from './request-problem.ts'

/** Fields of a body that are for the gateway alone. They are taken out of what goes to a provider, which may refuse what it does not know. */
export const GATEWAY_FIELDS = ['models', 'provider', 'session_id', 'route', 'transforms', 'usage', 'trace'] as const

export type GatewayField = (typeof GATEWAY_FIELDS)[number]

const NAMES: ReadonlySet<string> = new Set(GATEWAY_FIELDS)

/** Whether a field of this name is for the gateway alone. */
export const isGatewayField = (name: string): name is GatewayField => NAMES.has(name)

/** What these fields came to. */
export interface GatewayWishes {
  readonly preferences: Preferences | undefined
  readonly sessionId: string | undefined
  /** Take the fields out of the body. */
  readonly cuts: readonly Splice[]
}

const MODELS_MAX = 16
const FALLBACKS_MAX = 3
const SESSION_CHARS_MAX = 256
const NAME_CHARS_MAX = 200

/** Reads the gateway's own fields of one body; for a body that has one, only. */
export class GatewayFields {
  readonly #reader: JsonReader
  readonly #problem: RequestProblem
  readonly #spans: Span[] = []
  #models: readonly string[] = []
  #provider: Partial<Preferences> | null = null
  #parametersWanted = false
  #sessionId: string | undefined

  constructor(reader: JsonReader, problem: RequestProblem) {
    this.#reader = reader
    this.#problem = problem
  }

  /** The models that are asked for beside `model`, or in its place. */
  get models(): readonly string[] {
    return this.#models
  }

  /** Reads over the value of the field that the reader has just come to. */
  read(name: GatewayField): void {
    const reader = this.#reader
    const start = reader.keyStart
    const kind = reader.peek()
    if (name === 'provider' && kind === 'object') {
      const { wishes, requireParameters } = readProviderWishes(reader, this.#problem)
      this.#provider = wishes
      this.#parametersWanted = requireParameters
      this.#spans.push({ start, end: reader.position })
      return
    }
    reader.skip()
    this.#spans.push({ start, end: reader.valueEnd })
    if (kind === 'null') return
    if (name === 'models') this.#models = this.#readModels(reader.value())
    else if (name === 'session_id') this.#readSession(reader.value())
    else if (name === 'provider') this.#problem.wrongKind('provider', 'an object', kind)
  }

  /** Reads over the value of `fallbacks`, which `/messages` has in place of `models`: at most 3 objects with a `model` and nothing else. */
  readFallbacks(): void {
    const reader = this.#reader
    const start = reader.keyStart
    reader.skip()
    this.#spans.push({ start, end: reader.valueEnd })
    const value = reader.value()
    if (value === null) return
    const names = Array.isArray(value) ? value.map(onlyModel) : [null]
    const models = names.filter((name) => name !== null)
    if (models.length < names.length || models.length > FALLBACKS_MAX)
      this.#problem.invalid(
        'fallbacks',
        `Invalid 'fallbacks': expected at most ${FALLBACKS_MAX} objects {"model": "…"} without other fields.`,
      )
    else if (this.#models.length > 0)
      this.#problem.invalid('fallbacks', "'fallbacks' and 'models' cannot be given together.")
    else this.#models = models
  }

  /** All of it, once the body has been read to its end. `model` is the first that is asked for. */
  wishes(body: Uint8Array, model: string): GatewayWishes {
    const models = [...new Set(this.#models)].filter((name) => name !== model)
    const parameters = this.#parametersWanted ? requestParameters(body) : null
    const isAny = this.#provider !== null || models.length > 0
    return {
      preferences: isAny ? { ...NO_PREFERENCES, ...this.#provider, models, parameters } : undefined,
      sessionId: this.#sessionId,
      cuts: jsonCut(body, this.#spans),
    }
  }

  #readModels(value: unknown): readonly string[] {
    const isList = Array.isArray(value) && value.every((name) => isText(name, NAME_CHARS_MAX))
    if (isList && value.length <= MODELS_MAX) return value
    this.#problem.invalid(
      'models',
      isList
        ? `Invalid 'models': at most ${MODELS_MAX} models can be named.`
        : "Invalid type for 'models': expected an array of names of models.",
    )
    return []
  }

  #readSession(value: unknown): void {
    if (isText(value, SESSION_CHARS_MAX)) this.#sessionId = value
    else
      this.#problem.invalid(
        'session_id',
        `Invalid 'session_id': expected a text of 1 to ${SESSION_CHARS_MAX} characters.`,
      )
  }
}

/** The name in `{"model": name}`; null for anything else. */
function onlyModel(value: unknown): string | null {
  if (!isRecord(value) || Object.keys(value).length !== 1) return null
  return isText(value.model, NAME_CHARS_MAX) ? value.model : null
}

const isText = (value: unknown, charsMax: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= charsMax
