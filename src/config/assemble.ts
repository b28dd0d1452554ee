import type { PriceTable } from '../catalogue/index.ts'
import {
  type Backend,
  type BackendTls,
  type CatalogueParts,
  type DataHandling,
  type Model,
  type Offer,
  type OperatorCredential,
  type OutboundProxy,
  offerId,
  type PingTerms,
  type Provider,
  type TimeLimits,
} from '../domain/index.ts'
import { type BaseUrl, checkBaseUrl } from '../lib/index.ts'
import { assembleRouters } from './assemble-routers.ts'
import { readBackendTls } from './backend-tls.ts'
import type { ConfigInput } from './config-schema.ts'
import { nameSuggestion } from './name-suggestion.ts'
import { narrowedLimits } from './narrowed-limits.ts'
import { offerAbilities } from './offer-abilities.ts'
import { type OfferPrice, offerCost, offerPrice } from './offer-prices.ts'
import { proxyAuthorization, proxyFromEnvironment, readOutboundProxy } from './outbound-proxy.ts'
import { type Path, type Place, problemIn } from './parse-yaml.ts'
import { clip, type Problem } from './problem.ts'
import { type Found, inlineSecret, secretFromFile, secretFromVariable } from './secrets.ts'
import type { Surroundings } from './surroundings.ts'

export interface AssembleContext {
  readonly place: Place
  /** Where relative paths begin. */
  readonly folder: string
  readonly surroundings: Surroundings
  readonly table: PriceTable
}

type ProviderInput = ConfigInput['providers'][string]
type BackendInput = ProviderInput['backends'][string]
type ModelInput = ConfigInput['models'][string]
type OfferInput = ModelInput['offers'][number]

/** Checked input -> domain values: secrets fetched, references joined. What does not join is a problem; then the parts are not to be used. */
export async function assemble(
  input: ConfigInput,
  context: AssembleContext,
): Promise<{ parts: CatalogueParts; problems: Problem[] }> {
  const assembly = new Assembly(input, context)
  for (const [id, provider] of Object.entries(input.providers)) await assembly.addProvider(id, provider)
  for (const [id, model] of Object.entries(input.models)) assembly.addModel(id, model)
  for (const [alias, model] of Object.entries(input.aliases)) assembly.addAlias(alias, model)
  const { routers, problems } = assembleRouters(input, { place: context.place, aliases: assembly.parts.aliases })
  return { parts: { ...assembly.parts, routers }, problems: [...assembly.problems, ...problems] }
}

class Assembly {
  readonly problems: Problem[] = []
  readonly parts = {
    backends: new Map<string, Backend>(),
    models: new Map<string, Model>(),
    aliases: new Map<string, string>(),
  }
  readonly #input: ConfigInput
  readonly #context: AssembleContext
  /** Every name written in the file, also of backends with a problem of their own. */
  readonly #backendNames: ReadonlySet<string>
  readonly #modelNames: ReadonlySet<string>

  constructor(input: ConfigInput, context: AssembleContext) {
    this.#input = input
    this.#context = context
    this.#modelNames = new Set(Object.keys(input.models))
    this.#backendNames = new Set(Object.values(input.providers).flatMap(({ backends }) => Object.keys(backends)))
  }

  async addProvider(id: string, given: ProviderInput): Promise<void> {
    const path = ['providers', id]
    const credentials: OperatorCredential[] = []
    for (const [at, credential] of given.credentials.entries()) {
      const secret = await this.#secret([...path, 'credentials', at], credential)
      if (credentials.some((other) => other.id === credential.id)) {
        this.#report(
          [...path, 'credentials', at, 'id'],
          `this provider has two credentials '${credential.id}'`,
          'Give each its own id.',
        )
      }
      if (secret !== null) credentials.push({ id: credential.id, secret })
    }
    const { ownership = null, dialects } = given
    const provider = { id, ownership, data: dataOf(given), dialects, credentials }
    const backends = Object.entries(given.backends)
    if (backends.length === 0) this.#report([...path, 'backends'], 'a provider must have at least one backend', null)
    for (const [backendId, backend] of backends) await this.#addBackend(provider, backendId, backend)
  }

  async #addBackend(provider: Provider, id: string, given: BackendInput): Promise<void> {
    const path = ['providers', provider.id, 'backends', id]
    const other = this.parts.backends.get(id)
    if (other !== undefined) {
      this.#reportKey(
        path,
        `provider '${other.provider.id}' has a backend '${id}' too`,
        'Backend names are unique in the whole file.',
      )
      return
    }
    const url = checkBaseUrl(given.url)
    if (url.kind === 'problem') this.#report([...path, 'url'], url.reason, url.suggestion)
    const tls = await this.#tls([...path, 'tls'], given)
    const proxy = await this.#proxy(path, given, url)
    if (url.kind === 'problem') return
    this.parts.backends.set(id, {
      id,
      provider,
      baseUrl: url.baseUrl,
      dialects: given.dialects ?? provider.dialects,
      region: given.region ?? null,
      enabled: given.enabled,
      slots: given.slots ?? this.#input.agents.slots,
      tls,
      proxy,
      resend: given.resend ?? this.#input.agents.resend,
      ping: pingOf(given),
      limits: this.#timeLimits(given),
    })
  }

  addModel(id: string, given: ModelInput): void {
    const outputTokensMax = given.output_max ?? null
    const offering = new Set<string>()
    const offers = given.offers.flatMap((offer, at): Offer[] => {
      const path = ['models', id, 'offers', at, 'backend']
      const backend = this.parts.backends.get(offer.backend)
      if (backend === undefined) {
        this.#reportUnknown(path, 'backend', offer.backend, this.#backendNames)
        return []
      }
      if (offering.has(backend.id)) {
        this.#report(path, `backend '${offer.backend}' offers this model twice`, 'Keep one offer for each backend.')
      }
      offering.add(backend.id)
      const providerModel = offer.as ?? id
      const { price, cost, known } = this.#prices(['models', id, 'offers', at], offer, backend, providerModel)
      const contextTokensMax = offer.context ?? given.context ?? known
      const limits = narrowedLimits(backend.limits, given, offer)
      const { enabled } = offer
      const name = { id: offerId(backend.id, id), backend, model: id, providerModel }
      return [
        {
          ...name,
          price,
          cost,
          contextTokensMax,
          outputTokensMax: offer.output_max ?? outputTokensMax,
          enabled,
          ...offerAbilities(given, offer),
          limits,
        },
      ]
    })
    const contexts = offers.flatMap((offer) => offer.contextTokensMax ?? [])
    const contextTokensMax = given.context ?? (contexts.length === 0 ? null : Math.max(...contexts))
    this.parts.models.set(id, { id, contextTokensMax, outputTokensMax, capabilities: given.capabilities ?? [], offers })
  }

  addAlias(alias: string, model: string): void {
    const path = ['aliases', alias]
    if (Object.hasOwn(this.#input.models, alias)) {
      this.#reportKey(path, `'${alias}' is a model already: the alias would hide it`, 'Give the alias another name.')
    } else if (Object.hasOwn(this.#input.models, model)) {
      this.parts.aliases.set(alias, model)
    } else if (Object.hasOwn(this.#input.aliases, model)) {
      this.#report(path, `'${clip(model)}' is an alias itself`, 'Name the model it stands for.')
    } else {
      this.#reportUnknown(path, 'model', model, this.#modelNames)
    }
  }

  /** `known`: the length of the context as the price data has it. */
  #prices(path: Path, offer: OfferInput, backend: Backend, providerModel: string) {
    const { table, surroundings } = this.#context
    const place = { backend, providerModel, table, wallMs: surroundings.wallMs() }
    const price = this.#priceFound([...path, 'price'], offerPrice(offer.price, place))
    const cost = this.#priceFound([...path, 'cost'], offerCost(offer.cost, place))
    return { price: price.price, cost: cost.price, known: price.contextTokensMax ?? cost.contextTokensMax }
  }

  #priceFound(path: Path, found: OfferPrice): Extract<OfferPrice, { kind: 'price' }> {
    if (found.kind === 'price') return found
    this.#report(path, found.reason, found.suggestion)
    return { kind: 'price', price: null, contextTokensMax: null }
  }

  async #secret(path: Path, { env, file, value }: SecretPlace): Promise<string | null> {
    const { surroundings, folder } = this.#context
    if (value !== undefined)
      return this.#found([...path, 'value'], inlineSecret(value, this.#input.allow_inline_secrets))
    if (env !== undefined) return this.#found([...path, 'env'], secretFromVariable(env, surroundings))
    return this.#found([...path, 'file'], await secretFromFile(file ?? '', folder, surroundings))
  }

  async #tls(path: Path, { url, tls: given }: BackendInput): Promise<BackendTls> {
    if (given === undefined) return { caPem: null, client: null }
    const { folder, surroundings } = this.#context
    const { tls, problems } = await readBackendTls(given, folder, surroundings)
    const [first = 'ca_file'] = Object.keys(given)
    if (url.startsWith('http:')) {
      const suggestion = 'Write the url with https://, or leave tls out.'
      this.#report([...path, first], 'an http:// backend has no TLS', suggestion)
    }
    for (const { name, reason, suggestion } of problems) this.#report([...path, name], reason, suggestion)
    return tls
  }

  async #proxy(path: Path, { proxy: given }: BackendInput, url: BaseUrl): Promise<OutboundProxy | null> {
    const { surroundings } = this.#context
    if (given === 'off' || url.kind === 'problem') return null
    if (given === undefined) {
      const found = proxyFromEnvironment(url.baseUrl, surroundings.env)
      if (found.kind === 'proxy') return found.proxy
      const suggestion = `${found.suggestion ?? 'Correct the variable'}, or say proxy: off at this backend.`
      this.#report([...path, 'url'], `the environment variable ${found.variable} ${found.reason}`, suggestion)
      return null
    }
    const plain = typeof given === 'string'
    const found = readOutboundProxy(plain ? given : given.url, false)
    const at = [...path, 'proxy', ...(plain ? [] : ['url'])]
    if (found.kind === 'problem') this.#report(at, found.reason, found.suggestion)
    if (plain || given.credential === undefined || found.kind === 'problem')
      return found.kind === 'proxy' ? found.proxy : null
    const text = await this.#secret([...path, 'proxy', 'credential'], given.credential)
    if (text === null || found.proxy === null) return null
    if (text !== '' && !text.includes(':'))
      this.#report([...path, 'proxy', 'credential'], 'this secret is not user:password', null)
    return { ...found.proxy, authorization: proxyAuthorization(text) }
  }

  #timeLimits(given: BackendInput): TimeLimits {
    const { routing } = this.#input
    return {
      connectMs: given.connect_ms ?? routing.connect_ms,
      firstContentMs: given.first_content_ms ?? routing.first_content_ms,
      totalMs: given.total_ms ?? routing.total_ms,
      idleMs: given.idle_ms ?? routing.idle_ms,
    }
  }

  #found(path: Path, found: Found): string | null {
    if (found.kind === 'found') return found.text
    this.#report(path, found.reason, found.suggestion)
    return null
  }

  #reportUnknown(path: Path, what: 'model' | 'backend', name: string, known: ReadonlySet<string>): void {
    if (known.has(name)) return // it is there, with a problem of its own
    const suggestion = nameSuggestion(what, name, known, this.problems.length)
    this.#report(path, `there is no ${what} '${clip(name)}'`, suggestion)
  }

  #report(path: Path, reason: string, suggestion: string | null): void {
    this.problems.push(problemIn(this.#context.place, path, reason, suggestion))
  }

  #reportKey(path: Path, reason: string, suggestion: string | null): void {
    this.problems.push(problemIn(this.#context.place, path, reason, suggestion, 'key'))
  }
}

/** Where a secret is, as the file says it. */
type SecretPlace = Partial<Pick<ProviderInput['credentials'][number], 'env' | 'file' | 'value'>>

function pingOf({ ping }: BackendInput): PingTerms | null {
  if (ping === 'off') return null
  return { path: ping?.path ?? '/models', everyMs: ping?.every_ms ?? null, withCredential: ping?.credential ?? false }
}

function dataOf({ data }: ProviderInput): DataHandling | null {
  if (data === undefined) return null
  return { retentionDays: data.retention === 'none' ? 0 : (data.retention ?? null), training: data.training ?? null }
}
