import type { Backend, CatalogueParts, Model, Offer, Price } from '../../../src/domain/index.ts'

export const backendOf = (id: string, enabled = true): Backend => ({
  id,
  provider: { id: 'acme', ownership: null, data: null, dialects: ['openai'], credentials: [] },
  baseUrl: 'http://secret-address.example/v1',
  dialects: ['openai'],
  region: null,
  enabled,
  slots: 1,
  tls: { caPem: null, client: null },
  proxy: null,
  resend: 'stale',
  ping: { path: '/models', everyMs: null, withCredential: false },
  limits: { connectMs: 1, firstContentMs: 1, totalMs: 1, idleMs: 1 },
})

interface OfferOptions {
  readonly price?: Price | null
  readonly enabled?: boolean
}

export const modelOf = (id: string, offers: readonly (readonly [Backend, OfferOptions?])[]): Model => ({
  id,
  contextTokensMax: 1000,
  outputTokensMax: null,
  capabilities: [],
  offers: offers.map(
    ([backend, { price = null, enabled = true } = {}]): Offer => ({
      id: `${backend.id}/${id}`,
      backend,
      model: id,
      providerModel: id,
      price,
      cost: null,
      contextTokensMax: 1000,
      outputTokensMax: null,
      enabled,
      limits: backend.limits,
    }),
  ),
})

export const partsOf = (
  backends: readonly Backend[],
  models: readonly Model[],
  aliases: Record<string, string> = {},
): CatalogueParts => ({
  backends: new Map(backends.map((backend) => [backend.id, backend])),
  models: new Map(models.map((model) => [model.id, model])),
  aliases: new Map(Object.entries(aliases)),
})
